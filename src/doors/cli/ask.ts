import { HotcellError } from "../../core/errors.ts";
import { makeVisible } from "../../core/quote.ts";
import { type Io, usage } from "./io.ts";

/** Whether the person confirms; every answer except yes is a no. */
export async function confirm(io: Io, question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await io.ask(`${makeVisible(question)} [y/N] `, signal);
  return /^y(es)?$/i.test(answer.trim());
}

/** Throws `Did not <action>` unless the person confirms. */
export async function requireConfirmation(io: Io, question: string, action: string): Promise<void> {
  if (await confirm(io, question)) return;
  throw new HotcellError("DENIED", `Did not ${action}: the answer was no.`);
}

/** Without a terminal, the command needs --yes. */
export function requireYesFlag(io: Io, yes: boolean | undefined, action: string): void {
  if (yes === true || io.interactive) return;
  throw usage(`Could not ${action}: there is no terminal to ask in. Add --yes.`);
}
