// The trees of a session that a database is written from and compared with: the project, and the layers over it.
import fs from "node:fs";
import type { ComparedTrees, PairOptions } from "../diff/compare-entries.ts";
import { readMounts } from "../fs/mountinfo.ts";
import { openRealRoot, type Root } from "../fs/paths.ts";
import { openTreeReader } from "../fs/tree-reader.ts";
import { layerDir } from "../layers/layer-dirs.ts";
import { readLayers } from "../layers/layer-tree.ts";
import { type SessionRecord, sessionDir } from "../layers/record.ts";
import { openStackReader } from "../layers/stack-reader.ts";
import { createHiddenCheck } from "../overlay/hidden-check.ts";
import type { SessionStore } from "../overlay/session-view.ts";

export interface SessionTrees {
  readonly trees: ComparedTrees;
  readonly options: PairOptions;
  readonly project: Root;
}

/** Opens the trees while the work runs. */
export async function withSessionTrees<T>(
  record: Pick<SessionRecord, "id" | "stack" | "strategy" | "workspace">,
  { stateDir, protectionOf }: SessionStore,
  work: (trees: SessionTrees) => Promise<T>,
): Promise<T> {
  const { stack, strategy, workspace } = record;
  const layers = await readLayers(
    stack.map((layer) => layerDir(stateDir, layer)),
    strategy,
  );
  const project = openRealRoot(workspace);
  const before = openTreeReader(project);
  const after = openStackReader(project, layers);
  const options = {
    layers: layers.map((entry) => ({ entry, call: null })),
    ...pathChecks(record, { stateDir, protectionOf }),
  };
  try {
    return await work({ trees: { before, after }, options, project });
  } finally {
    after.close();
    before.close();
    fs.closeSync(project.fd);
  }
}

/** The checks of paths that a session's trees need. */
export function pathChecks(
  { id, strategy, workspace }: Pick<SessionRecord, "id" | "strategy" | "workspace">,
  { stateDir, protectionOf }: SessionStore,
): Pick<PairOptions, "isMounted" | "isHidden"> {
  return {
    isMounted: readMounts(workspace),
    isHidden: createHiddenCheck(sessionDir(stateDir, id), strategy, protectionOf),
  };
}
