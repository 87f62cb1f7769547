// Writes src/workspace/search/scan/finder.gen.ts from finder.wat beside it.
import { readFileSync, writeFileSync } from "node:fs";
import wabt from "wabt";

const source = new URL("../src/workspace/search/scan/finder.wat", import.meta.url);
const { parseWat } = await wabt();
const { buffer } = parseWat("finder.wat", readFileSync(source, "utf8")).toBinary({});
const text = Buffer.from(buffer).toString("base64");
writeFileSync(
  new URL("finder.gen.ts", source),
  `// Made of finder.wat by scripts/precompile-finder.js.\nexport const FINDER_WASM =\n  "${text}";\n`,
);
