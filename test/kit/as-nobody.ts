import { execFileSync } from "node:child_process";
import path from "node:path";

const NOBODY = 65534;

/** Runs synchronous work without root's rights; the directories are made nobody's own first. */
export function asNobody<T>(owned: readonly string[], work: () => T): T {
  if (process.getuid?.() !== 0) return work();
  for (const dir of owned) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, path.dirname(dir)]);
  const { geteuid, getegid, seteuid, setegid } = process;
  const before = { uid: geteuid!(), gid: getegid!() };
  setegid!(NOBODY);
  seteuid!(NOBODY);
  try {
    return work();
  } finally {
    seteuid!(before.uid);
    setegid!(before.gid);
  }
}
