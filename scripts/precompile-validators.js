// Writes src/tools/validators.gen.ts. Run `npm run build` first: the schemas are read from dist.
import { writeFileSync } from "node:fs";
import { PRECOMPILED_TOOLS } from "../dist/tools/builtin-tools.js";
import { validatorSource } from "../dist/tools/validator-source.js";

writeFileSync(new URL("../src/tools/validators.gen.ts", import.meta.url), validatorSource(PRECOMPILED_TOOLS));
