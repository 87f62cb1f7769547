// A command line on a project that has a session of the clone strategy, which needs only Node.
import { createProtection } from "../../../src/policy/protected.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { type CliWorld, openCliWorld, type Ran } from "./cli-world.ts";

export interface SessionCliWorld extends CliWorld {
  readonly id: string;
  open(id?: string): Promise<Session>;
  /** Runs calls with these ids in the session, one after the other. */
  change(calls: Readonly<Record<string, (workspace: WorkspaceFS) => void>>): Promise<void>;
  /** `hotcell session …` in a terminal, with these answers; then the input ends. */
  answer(
    args: readonly string[],
    answers: readonly string[],
  ): Promise<Ran & { questions: readonly string[] }>;
}

export async function openSessionCliWorld(
  files: Readonly<Record<string, string>>,
  calls: Readonly<Record<string, (workspace: WorkspaceFS) => void>> = {},
): Promise<SessionCliWorld> {
  const world = openCliWorld(files);
  const id = (await world.run(["session", "create", "--strategy", "clone"])).out.trim();
  const open = (which = id) =>
    openSession(which, { stateDir: world.stateDir, protectionOf: createProtection() });
  const made: SessionCliWorld = {
    ...world,
    id,
    open,
    async change(work) {
      const session = await open();
      for (const [call, act] of Object.entries(work))
        await session.change({ id: call, tool: "write_file" }, async () => act(session.workspace));
      session.close();
    },
    async answer(args, answers) {
      const questions: string[] = [];
      const ask = async (question: string) => answers[questions.push(question) - 1] ?? "";
      const ran = await world.run(["session", ...args], { interactive: true, errIsTerminal: true, ask });
      return { ...ran, questions };
    },
  };
  await made.change(calls);
  return made;
}
