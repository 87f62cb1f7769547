import { describe, test } from "vitest";
import { checkRace, RACE_TIMEOUT_MS, RACES } from "../kit/machine-and-soak/race.ts";

describe("200,000 rounds against an attacker leave nothing outside read or changed", () => {
  test.each(RACES.map((race) => [race.row.id, race.title, race] as const))(
    "%s: %s",
    (_id, _title, race) => checkRace(race, 200_000),
    10 * RACE_TIMEOUT_MS,
  );
});
