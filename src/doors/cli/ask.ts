import { HotcellError } from "../../core/errors.ts";
import { makeVisible } from "../../core/quote.ts";
import { type Io, usage } from "./io.ts";

/** Whether the person says yes; anything else is a no. */
export async function isAgreed(io: Io, question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await io.ask(`${makeVisible(question)} [y/N] `, signal);
  return /^y(es)?$/i.test(answer.trim());
}

/** Goes on only with a yes; a no is told as `Did not <action>`. */
export async function agree(io: Io, question: string, action: string): Promise<void> {
  if (await isAgreed(io, question)) return;
  throw new HotcellError("DENIED", `Did not ${action}: the answer was no.`);
}

/** Where nobody can be asked, the yes has to come with the command. */
export function needYes(io: Io, yes: boolean | undefined, action: string): void {
  if (yes === true || io.interactive) return;
  throw usage(`Could not ${action}: there is no terminal to ask in. Add --yes.`);
}
