// In the packages that this project itself needs. The same on 60,000 files: test/soak.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ROOT } from "../kit/document.ts";
import { ripgrepSuite } from "../kit/ripgrep-suite.ts";

ripgrepSuite(
  (directory) =>
    fs.cpSync(path.join(ROOT, "node_modules"), directory, { recursive: true, verbatimSymlinks: true }),
  os.tmpdir(),
);
