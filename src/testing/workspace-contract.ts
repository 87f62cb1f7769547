// The contract of every mode of WorkspaceFS. The test of a mode calls this with a function that opens an empty workspace
// that uses the built-in table of protected paths.
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import type { TestApi } from "./suite.ts";
import { CHANGING_ROWS } from "./workspace-changing.ts";
import { HANDLES } from "./workspace-handles.ts";
import { NAMING } from "./workspace-naming.ts";
import { READING } from "./workspace-reading.ts";
import { REFUSING } from "./workspace-refusing.ts";
import { SEARCHING } from "./workspace-searching.ts";
import { TREES } from "./workspace-trees.ts";
import { WRITING } from "./workspace-writing.ts";

export interface WorkspaceUnderTest {
  readonly workspace: WorkspaceFS;
  /** The directory with the same files, accessible without the workspace, also after it is closed. */
  readonly root: string;
  /** The directory that holds the project, by `..` from the workspace; it may be written. */
  readonly outside: string;
  close(): void;
}

/** The behaviour as a sentence, and its check, which gets an empty workspace. */
export type Checks = Readonly<Record<string, (on: WorkspaceUnderTest) => void | Promise<void>>>;

const TOPICS: Readonly<Record<string, Checks>> = {
  reading: READING,
  searching: SEARCHING,
  writing: WRITING,
  changing: CHANGING_ROWS,
  trees: TREES,
  handles: HANDLES,
  naming: NAMING,
  refusing: REFUSING,
};

type Open = () => WorkspaceUnderTest | Promise<WorkspaceUnderTest>;

export function workspaceContract({ describe, it }: TestApi, open: Open): void {
  for (const [topic, checks] of Object.entries(TOPICS)) {
    describe(topic, () => {
      for (const [title, check] of Object.entries(checks)) it(title, () => withWorkspace(open, check));
    });
  }
}

async function withWorkspace(open: Open, check: Checks[string]): Promise<void> {
  const on = await open();
  try {
    await check(on);
  } finally {
    on.close();
  }
}
