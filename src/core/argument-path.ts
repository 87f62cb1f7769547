import { quote } from "./quote.ts";

/** Formats a path in a call's arguments: `arguments.patch.update[3]`. */
export function argumentPath(keys: readonly (string | number)[]): string {
  return `arguments${keys.map(step).join("")}`;
}

function step(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_$][\w$]{0,59}$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}
