import { test } from "vitest";
import { failAt, PLACES } from "../kit/machine-and-soak/commit-faults.ts";

test.each(PLACES)("crash-007: any fault at $what leaves the project as before or as committed", (place) =>
  failAt(place, ["SIGKILL", "ENOSPC", "EIO", "EACCES", "EMFILE"]),
);
