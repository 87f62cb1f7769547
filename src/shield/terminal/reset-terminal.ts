// What a program may have set in a terminal and left set. Each line puts back one thing; a terminal ignores what it does
// not know.

const ESC = "\x1b";

/** Before the program: remembers the window's title. */
export const SAVE_TERMINAL = `${ESC}[22;0t`;

export const RESET_TERMINAL = [
  // Cancels a sequence that the program began and did not end, without its effect. For tmux that is its end; a DEL, which
  // shows nothing on a screen, makes the base64 of a text for the clipboard wrong there.
  "\x7f\x18",
  `${ESC}\\`,
  `${ESC}[?2026l`, // Shows what was drawn so far.
  // The screen of before. Leaving the second screen also moves the cursor to where it was on entry, and tmux moves it
  // even on the first screen; entering first makes that place the current one.
  `${ESC}[?1049h${ESC}[?1049l`,
  `${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1005l${ESC}[?1006l${ESC}[?1015l`, // No mouse.
  `${ESC}[?1004l${ESC}[?2004l`, // No reports of focus; plain paste.
  `${ESC}[<9u${ESC}[=0u${ESC}[>4;0m`, // Keys as usual.
  `${ESC}[?1l${ESC}>${ESC}[20l${ESC}[4l`, // Cursor keys, keypad, line ends and insertion as usual.
  `${ESC}7${ESC}[r${ESC}8`, // The whole screen scrolls.
  `${ESC}[?7h${ESC}[?25h${ESC}[0 q${ESC}(B\x0f${ESC}[0m`, // Long lines wrap; cursor, letters and colours as usual.
  `${ESC}]104${ESC}\\${ESC}]110${ESC}\\${ESC}]111${ESC}\\${ESC}]112${ESC}\\`, // The terminal's own colours.
  `${ESC}[23;0t`, // The title of before.
].join("");

/** A question that almost every terminal answers, in the order of its input. */
export const STATUS_QUESTION = `${ESC}[5n`;
export const STATUS_ANSWER = `${ESC}[0n`;
