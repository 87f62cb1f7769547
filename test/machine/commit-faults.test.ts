// All kinds of faults at all places: test/soak.
import { test } from "vitest";
import { failAt, PLACES } from "../kit/commit-faults.ts";

const KINDS = ["EIO", "ENOSPC", "ENOSPC"] as const;

test.each(PLACES.map((place, index) => ({ ...place, kind: KINDS[index]! })))(
  "crash-007: $kind at $what leaves the project as before or as committed",
  (place) => failAt(place, [place.kind]),
);
