// The same thousand changes for a session and for a plain copy of the tree.
import fs from "node:fs";
import path from "node:path";
import { spread } from "./sessions-tree.js";

export const CALL = { id: "bench", tool: "bench" };
export const CHANGES = 1000;
const RENAMED = 50;
/** Without rename detection, each rename is a deletion and an addition. */
export const DIFFERENCES = CHANGES + RENAMED;
const KINDS = [
  { upTo: 700, change: (to, file) => to.write(file, `${to.read(file)}\n// A line more.\n`) },
  { upTo: 800, change: (to, file) => to.write(`${file}.new`, `A new file.\n${to.read(file)}`) },
  { upTo: 900, change: (to, file) => to.remove(file) },
  { upTo: 900 + RENAMED, change: (to, file) => to.rename(file, `${file}.moved`) },
  { upTo: CHANGES, change: (to, file) => to.chmod(file, 0o600) },
];

/** `to` is a WorkspaceFS, or `plainFiles` of a directory. */
export function makeChanges(to, sources) {
  spread(sources, CHANGES).forEach((file, at) => {
    KINDS.find(({ upTo }) => at < upTo).change(to, file);
  });
}

export function plainFiles(dir) {
  const at = (file) => path.join(dir, file);
  return {
    read: (file) => fs.readFileSync(at(file)),
    write: (file, text) => fs.writeFileSync(at(file), text),
    remove: (file) => fs.unlinkSync(at(file)),
    rename: (from, to) => fs.renameSync(at(from), at(to)),
    chmod: (file, mode) => fs.chmodSync(at(file), mode),
  };
}
