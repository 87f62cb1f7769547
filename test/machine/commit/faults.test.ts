// All kinds of faults at all places: test/soak.
import { expect, onTestFinished, test } from "vitest";
import { makeScene } from "../../kit/children/commit-child.ts";
import { failAt, failSyncs, PLACES } from "../../kit/machine-and-soak/commit-faults.ts";
import { layOutHundred } from "../../kit/worlds/commit-scene.ts";

const KINDS = ["EIO", "ENOSPC", "ENOSPC"] as const;
const MOST_SYNCS = 15;

test.each(PLACES.map((place, index) => ({ ...place, kind: KINDS[index]! })))(
  "crash-007: $kind at $what leaves the project as before or as committed",
  (place) => failAt(place, [place.kind]),
);

test("crash-007: syncs that fail in other threads leave the project as before or as committed", async () => {
  const scene = makeScene({ layOut: layOutHundred });
  onTestFinished(() => scene.world.remove());
  const said: string[] = [];
  for (let nth = 1; nth <= MOST_SYNCS; nth++) said.push(await failSyncs(scene, nth));
  expect(said.filter((text) => text.includes("Could not stage")).length).toBeGreaterThan(0);
});
