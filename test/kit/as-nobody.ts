import { execFileSync } from "node:child_process";
import path from "node:path";

const NOBODY = 65534;

/** Runs synchronous work as the user `nobody`, who gets the directories first. */
export function asNobody<T>(owned: readonly string[], work: () => T): T {
  if (process.getuid?.() !== 0) return work();
  for (const dir of owned) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, path.dirname(dir)]);
  const comeBack = becomeNobody();
  try {
    return work();
  } finally {
    comeBack();
  }
}

/** The same for asynchronous work, if this process is root. Nothing else may run meanwhile. */
export async function asNobodyLater<T>(work: () => Promise<T>): Promise<T> {
  const comeBack = becomeNobody();
  try {
    return await work();
  } finally {
    comeBack();
  }
}

function becomeNobody(): () => void {
  const { geteuid, getegid, seteuid, setegid } = process;
  const before = { uid: geteuid!(), gid: getegid!() };
  setegid!(NOBODY);
  seteuid!(NOBODY);
  return () => {
    seteuid!(before.uid);
    setegid!(before.gid);
  };
}
