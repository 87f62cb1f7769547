// Writes docs/options.md from the comments of the one interface that has all options of openCell.
// With --print it prints the page instead.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const inRoot = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const SOURCE = "src/call/cell-options.ts";
const PAGE = "docs/options.md";

/** A comment, then a property on one line. Any other form is an error. */
const PROPERTY = /^ {2}\/\*\*\n((?: {3}\*.*\n)+?) {3}\*\/\n {2}readonly (\w+)\?: (.+);\n/;

function readOptions(text) {
  const body = /^export interface CellOptions \{\n(.*?)^\}/ms.exec(text)[1];
  const options = [];
  for (let rest = body; rest !== ""; ) {
    const found = PROPERTY.exec(rest);
    if (found === null)
      throw new Error(`${SOURCE}: cannot read the option at ${JSON.stringify(rest.slice(0, 80))}`);
    const [whole, comment, name, type] = found;
    const read = readComment(comment);
    if (read.byDefault === undefined || read.example === undefined)
      throw new Error(`${SOURCE}: the option ${name} needs a @default and an @example`);
    options.push({ name, type, ...read });
    rest = rest.slice(whole.length).replace(/^\n/, "");
  }
  return options;
}

function readComment(comment) {
  const text = comment.replace(/^ {3}\* ?/gm, "").trimEnd();
  const [description, ...tags] = text.split(/^@/m);
  const tag = (name) => tags.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1);
  return { description, byDefault: tag("default"), example: tag("example") };
}

/** Code that may contain a backtick. */
const code = (text) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);
const oneLine = (text) => text.trim().replace(/\s*\n\s*/g, " ");

function section({ name, type, description, byDefault, example }) {
  return [
    `## ${name}`,
    code(type),
    oneLine(description),
    `Default: ${oneLine(byDefault)}`,
    `Example: ${code(oneLine(example))}`,
  ].join("\n\n");
}

const head = `# Options of openCell

This page is generated from the comments in [cell-options.ts](../${SOURCE}), which an editor shows too: after a change there, run \`npm run docs\`. The [library reference](library.md) explains how to use a cell.

Either \`workspace\` or \`session\` is required. \`openCell\` refuses an unknown option with \`CONFIG_INVALID\` and names the nearest options. The same holds for the keys of \`limits\`, \`agents\`, \`mounts\`, \`protect\` and \`scope\`.`;

const sections = readOptions(readFileSync(inRoot(SOURCE), "utf8")).map(section);
const page = `${[head, ...sections].join("\n\n")}\n`;
if (process.argv.includes("--print")) process.stdout.write(page);
else writeFileSync(inRoot(PAGE), page);
