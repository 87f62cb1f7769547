import type { Shape } from "./shape.ts";

const LINE_FEED = 0x0a;

/** Whether every match contains a line break. False if that is not easy to decide. */
export function needsLineBreak(shape: Shape): boolean {
  switch (shape.kind) {
    case "one":
      return shape.of.length === 1 && shape.of.flat().every((point) => point === LINE_FEED);
    case "sequence":
      return shape.parts.some(needsLineBreak);
    case "choice":
      return shape.options.every(needsLineBreak);
    case "repeat":
      return shape.min > 0 && needsLineBreak(shape.part);
    default:
      return false;
  }
}
