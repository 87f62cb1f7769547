// What a command writes to take over a terminal: the observation keeps it, and whoever looks at the observation or
// at the log on a terminal sees it, and no more.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCliWorld } from "../../kit/worlds/cli-world.ts";
import { readCorpus } from "../../kit/worlds/path-fixture.ts";

interface OutputRow {
  readonly id: string;
  readonly cat: string;
  readonly input: string;
  readonly reason: string;
}

const ROWS = readCorpus<OutputRow>("output").filter(({ cat }) => cat === "terminal");

/** What a terminal obeys or hides, but for the ends of our own lines. */
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** The bytes as a program would write them, also where they are no UTF-8. */
function bytesOf(text: string): Buffer {
  return text === "\ud800" ? Buffer.from([0xed, 0xa0, 0x80]) : Buffer.from(text);
}

function printing(bytes: Buffer): string {
  return `printf '${[...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`;
}

function readLogs(stateDir: string): string {
  const runs = path.join(stateDir, "runs");
  return fs
    .readdirSync(runs)
    .map((run) => fs.readFileSync(path.join(runs, run, "logs/execution.jsonl"), "utf8"))
    .join("");
}

describe("rows of test/corpus/output.jsonl about terminals", () => {
  test.each(ROWS)(
    "$id $reason: is kept in the observation, and inert where it is shown or logged",
    async (row) => {
      const bytes = bytesOf(row.input);
      const { run, stateDir } = openCliWorld();
      const call = [
        "call",
        "run_command",
        JSON.stringify({ command: printing(bytes) }),
        "--trust",
        "autonomous",
      ];
      const compact = await run([...call, "--json"]);
      const forPeople = await run(call);
      expect([compact.code, forPeople.code]).toEqual([0, 0]);
      for (const { out } of [compact, forPeople])
        expect(JSON.parse(out).output.stdout).toBe(bytes.toString());
      for (const shown of [compact.out, compact.err, forPeople.out, forPeople.err, readLogs(stateDir)])
        expect(OBEYED.exec(shown)).toBeNull();
      const audit = await run(["audit", "show"]);
      expect([audit.code, OBEYED.exec(audit.out)]).toEqual([0, null]);
    },
  );

  test("control: as they are, all but a newline and what is no text would be obeyed", () => {
    const harmless = ROWS.filter(({ input }) => !OBEYED.test(input)).map(({ id }) => id);
    expect(harmless).toEqual(["out-019"]);
  });
});
