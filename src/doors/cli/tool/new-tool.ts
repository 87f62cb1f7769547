import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { type ExitCode, type Io, printLines, usage } from "../io.ts";
import { TEMPLATES } from "./templates.ts";
import type { NewToolFlags } from "./tool-commands.ts";

/** Makes a folder with a manifest, the source of a small tool, and a case that tests it. */
export function newTool(io: Io, name: string, { lang = "js", dir = name }: NewToolFlags): ExitCode {
  const template = TEMPLATES.get(lang);
  if (template === undefined)
    throw usage(
      `Could not make the tool: --lang is ${quote(lang)}; allowed are ${[...TEMPLATES.keys()].map(quote).join(", ")}.`,
    );
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name))
    throw usage(
      `Could not make the tool: its name ${quote(name)} must begin with a letter, followed by letters, digits, _ - and dots, at most 64 characters.`,
    );
  const folder = path.resolve(io.cwd, dir);
  try {
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    fs.mkdirSync(folder);
  } catch (error) {
    const state =
      osErrorCode(error) === "EEXIST" ? "it exists already" : `the system refused (${osErrorCode(error)})`;
    throw usage(`Could not make the folder ${quote(dir)}: ${state}.`);
  }
  fs.mkdirSync(path.join(folder, "cases"));
  for (const [file, text] of Object.entries(template(name))) fs.writeFileSync(path.join(folder, file), text);
  printLines(
    io,
    `Made ${dir}. Next:`,
    ...(lang === "as" ? [`  npm install --prefix ${dir}`] : []),
    `  hotcell tool build ${dir}`,
    `  hotcell tool test ${dir}`,
    `  hotcell tool run ${dir} --input '{"text":"hello"}'`,
  );
  return 0;
}
