import { inspect } from "node:util";

/**
 * A callback of the caller that reports an event. If it throws, or its promise is rejected, the process warns: the work that
 * it watches must not change, nor the process end.
 */
export function warnIfThrows<Event extends unknown[]>(
  name: string,
  callback: (...event: Event) => void,
): (...event: Event) => void {
  const warn = (error: unknown) => process.emitWarning(`The callback ${name} threw: ${inspect(error)}`);
  return (...event) => void new Promise<void>((resolve) => resolve(callback(...event))).catch(warn);
}
