import { expect, test } from "vitest";
import { makeLandlockTierWorld } from "../kit/landlock-tier-world.ts";

test.runIf(process.getuid?.() === 0)("the weaker tier is refused to root", async () => {
  await expect(makeLandlockTierWorld(new Map())).rejects.toMatchObject({
    code: "NO_SANDBOX",
    message:
      "Could not shield the command: without user namespaces, as root a command could change the mode of any file. Run hotcell as an ordinary user, or see hotcell doctor.",
  });
});
