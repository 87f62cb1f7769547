// FIFOs, sockets and devices are told as what they are, at once, and never opened: opening may wait for
// ever, or make a device do something.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Step, workInChild } from "../../kit/children/workspace-child.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { type HostWorld, makeHostWorld } from "../../kit/worlds/host-workspace.ts";

let world: HostWorld;
let server: net.Server;
const special: string[] = [];

beforeAll(async () => {
  world = makeHostWorld();
  execFileSync("mkfifo", [`${world.root}/fifo`]);
  server = net.createServer().listen(`${world.root}/socket`);
  await once(server, "listening");
  special.push("fifo", "socket");
  // Only root may make a device; /dev/null has these numbers.
  if (IS_ROOT) {
    execFileSync("mknod", [`${world.root}/device`, "c", "1", "3"]);
    special.push("device");
  }
  for (const name of special) fs.symlinkSync(name, `${world.root}/link-to-${name}`);
  fs.writeFileSync(`${world.root}/plain`, "plain");
});
afterAll(() => {
  server.close();
  world.remove();
});

const ATTEMPTS = (name: string): Step[] => [
  ["read", name],
  ["read", name, { maxBytes: 10 }],
  ["stream", name],
  ["write", name, "x"],
  ["write", name, "x", { ifMatchSha256: "0".repeat(64) }],
  ["append", name, "x"],
  ["copy", name, "new"],
  ["copy", "plain", name],
];

describe("a special file", () => {
  test("is refused as no file by whatever reads or writes, and never opened", () => {
    for (const name of special) {
      for (const path of [name, `link-to-${name}`]) {
        const { answers, opened } = traced(ATTEMPTS(path), name);
        expect(answers.map((answer) => "code" in answer && answer.code)).toEqual([
          ...ATTEMPTS(path).map(() => "NOT_A_FILE"),
          false,
        ]);
        expect(answers[0]).toMatchObject({
          message: `Could not read "${name}": it is a ${name === "fifo" ? "FIFO" : name}, not a regular file.`,
        });
        expect(opened).toEqual([]);
      }
    }
  });

  test("can be listed, inspected, moved and removed without an open", () => {
    for (const name of special) {
      const steps: Step[] = [
        ["list", "."],
        ["walk", "."],
        ["stat", name],
        ["rename", name, "moved"],
        ["chmod", "moved", 0o600],
        ["rename", "moved", name],
      ];
      const { answers, opened } = traced(steps, name);
      expect(answers.filter((answer) => "code" in answer)).toEqual([]);
      expect(answers[2]).toMatchObject({ value: { kind: name } });
      expect(opened).toEqual([]);
    }
  });

  test("in a tree that is copied is left out, and in one that is removed goes", () => {
    fs.mkdirSync(`${world.root}/d`);
    fs.writeFileSync(`${world.root}/d/f`, "");
    execFileSync("mkfifo", [`${world.root}/d/pipe`]);
    workInChild(world, [
      ["copy", "d", "e"],
      ["remove", "d", { recursive: true }],
    ]);
    expect(fs.readdirSync(`${world.root}/e`)).toEqual(["f"]);
    expect(fs.existsSync(`${world.root}/d`)).toBe(false);
  });
});

/** Runs the steps under strace; gives also the calls that opened what is named (by O_PATH nothing is opened). */
function traced(steps: readonly Step[], name: string): { answers: Answer[]; opened: string[] } {
  const trace = `${world.top}/trace`;
  const answers = workInChild(world, steps, [
    "strace",
    "-f",
    "-qq",
    "-y",
    "-e",
    "trace=openat,open",
    "-o",
    trace,
  ]);
  const calls = fs.readFileSync(trace, "latin1").split("\n");
  const onIt = new RegExp(`${world.root}/(${name}|moved)>$`);
  expect(calls.some((call) => call.includes("O_PATH") && onIt.test(call))).toBe(true);
  return { answers, opened: calls.filter((call) => onIt.test(call) && !call.includes("O_PATH")) };
}
