import fs from "node:fs";
import path from "node:path";
import { type SessionRecord, sessionDir } from "./record.ts";

export interface OpenLayer {
  readonly fd: number;
  /** The id of the call that changed what is in it. */
  readonly call: string | null;
}

/** Works with the session's layers opened, oldest first. */
export function* withLayers<T>(
  { stack }: SessionRecord,
  stateDir: string,
  work: (layers: readonly OpenLayer[]) => Generator<T, void, void>,
): Generator<T, void, void> {
  const layers: OpenLayer[] = [];
  try {
    for (const { session, name, call } of stack) {
      const at = path.join(sessionDir(stateDir, session), name);
      layers.push({
        fd: fs.openSync(at, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY),
        call: call?.id ?? null,
      });
    }
    yield* work(layers);
  } finally {
    for (const { fd } of layers) fs.closeSync(fd);
  }
}
