/** What a program has to know of the user's terminal to draw in it. */
export function terminalEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { TERM = "", COLORTERM = "" } = env;
  return {
    TERM: WORD.test(TERM) ? TERM : "xterm-256color",
    ...(WORD.test(COLORTERM) && { COLORTERM }),
  };
}

const WORD = /^[\w.+-]{1,64}$/;
