import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../../../src/policy/protected.ts";
import { diffTrees } from "../../../src/workspace/diff/diff-trees.ts";
import { runToEnd } from "../../../src/workspace/fs/cooperative.ts";
import { openRealRoot } from "../../../src/workspace/fs/paths.ts";
import { type DeletedNames, readDeleted } from "../../../src/workspace/layers/deleted-names.ts";
import { layerDir } from "../../../src/workspace/layers/layer-dirs.ts";
import { readLayers } from "../../../src/workspace/layers/layer-tree.ts";
import type { Stack } from "../../../src/workspace/layers/record.ts";
import { openStackReader } from "../../../src/workspace/layers/stack-reader.ts";
import { type CloneOptions, openCloneView } from "../../../src/workspace/overlay/clone-view.ts";
import type { SessionView } from "../../../src/workspace/overlay/session-view.ts";
import { MEMORY_DIR } from "../memory-dir.ts";
import { removeTree } from "../remove-tree.ts";
import { plainly } from "./diff-world.ts";
import { type Planted, type PlantedTree, plant, survey } from "./planted-tree.ts";

const SESSION = "s";
export const protectionOf = createProtection();

export interface CloneWorld {
  readonly project: string;
  readonly stateDir: string;
  /** The session's directory, and the working copy in it. */
  readonly dir: string;
  readonly merged: string;
  open(stack: Stack, options?: Partial<CloneOptions>): Promise<SessionView>;
  /** The content of the working copy. */
  tree(): Map<string, Planted>;
  /** The content of a layer. */
  layer(number: number): Map<string, Planted>;
  gone(number: number): string[];
  /** The changes of a comparison, in the format of the brute-force comparison. */
  changes(stack: Stack, span: Span): Promise<string[]>;
  /** Restores the project, and resets the session to the state before it was first opened. */
  renew(): void;
  remove(): void;
}

export function stackOf(...layers: readonly number[]): Stack {
  return layers.map((layer) => ({
    session: SESSION,
    name: String(layer),
    call: { id: `c${layer}`, tool: "t" },
    since: 0,
  }));
}

export function makeCloneWorld(project: PlantedTree, parent = MEMORY_DIR): CloneWorld {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(parent, "hotcell-clone-")));
  const stateDir = path.join(top, "state");
  const at = { project: path.join(top, "project"), dir: path.join(stateDir, "sessions", SESSION) };
  const merged = path.join(at.dir, "merged");
  const renew = () => {
    for (const dir of [at.project, stateDir]) removeTree(dir);
    plant(at.project, project);
    fs.mkdirSync(merged, { recursive: true });
  };
  renew();
  return {
    ...at,
    stateDir,
    merged,
    open: (stack, options) =>
      openCloneView({ dir: at.dir, stateDir, workspace: at.project, protectionOf, stack, ...options }),
    tree: () => survey(merged),
    layer: (number) => survey(path.join(at.dir, String(number))),
    gone: (number) => pathsOf(readDeleted(path.join(at.dir, String(number)))),
    changes: (stack, span) => changesIn(at.project, stack, stateDir, span),
    renew,
    remove: () => removeTree(top),
  };
}

const pathsOf = (names: DeletedNames): string[] =>
  [...names].flatMap(([name, below]) =>
    below === null ? [name] : pathsOf(below).map((path) => `${name}/${path}`),
  );

/** From the state with `below` layers, or the project, to the one with `upTo`. */
export interface Span {
  readonly below: number | null;
  readonly upTo: number;
}

async function changesIn(workspace: string, stack: Stack, stateDir: string, span: Span): Promise<string[]> {
  const layers = stack.slice(0, span.upTo);
  const trees = await readLayers(
    layers.map((layer) => layerDir(stateDir, layer)),
    "clone",
  );
  const project = openRealRoot(workspace);
  const before = openStackReader(project, trees.slice(0, span.below ?? 0));
  const after = openStackReader(project, trees);
  try {
    const diffing = diffTrees({
      before,
      after,
      project: project.fd,
      layers: trees.slice(span.below ?? 0).map((entry) => ({ entry, call: null })),
      isMounted: () => false,
      isHidden: (at) => protectionOf(at)?.read === "refuse" || protectionOf(`${at}/`)?.read === "refuse",
      protectionOf,
    });
    return plainly(runToEnd(diffing));
  } finally {
    before.close();
    after.close();
    fs.closeSync(project.fd);
  }
}

/** The project with all layers applied, one after the other. */
export function laidOver(world: CloneWorld, stack: Stack): Map<string, Planted> {
  const tree = survey(world.project);
  const removeBelow = (at: string) => {
    for (const path of [...tree.keys()]) if (path.startsWith(`${at}/`)) tree.delete(path);
  };
  for (const { name } of stack) {
    const gone = fs.existsSync(`${world.dir}/${name}.gone`) ? world.gone(Number(name)) : [];
    for (const [at, planted] of world.layer(Number(name))) {
      if (planted.kind !== "directory") removeBelow(at);
      if (gone.includes(at)) tree.delete(at);
      else tree.set(at, planted);
    }
  }
  return tree;
}
