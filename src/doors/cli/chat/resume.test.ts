// hotcell chat --resume: a run goes on in the mode and place where it began.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";
import { listRunFiles } from "../../../agent/list-runs.ts";
import { openCell } from "../../../cell.ts";

const ON_HOST = ["--fs", "host", "--trust", "autonomous"];

const withScript = (turns: readonly object[]): CliWorld =>
  openCliWorld({ "a.txt": "hello\n", "script.json": JSON.stringify({ turns }) });

const chat = (world: CliWorld, ...args: readonly string[]) =>
  world.run(["chat", "go", ...scripted(world), ...ON_HOST, ...args]);

const runIn = (out: string): string => JSON.parse(out.split("\n", 1)[0]!).run;
const scripted = (world: CliWorld) => ["--model", `scripted/${path.join(world.root, "script.json")}`];
const inSession = ["--strategy", "clone", "--trust", "autonomous"];

/** Removes all events of a run after the first one that is meant. */
function cutAfter(world: CliWorld, run: string, isMeant: (event: Record<string, unknown>) => boolean) {
  const { file } = listRunFiles(world.stateDir).find((one) => one.run === run)!;
  const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  const last = lines.findIndex((line) => isMeant(JSON.parse(line)));
  fs.writeFileSync(file, `${lines.slice(0, last + 1).join("\n")}\n`);
}

/** A run on the host and a later one in a session, each with one answer. */
async function openBoth() {
  const world = withScript([{ text: "One." }]);
  const onHost = runIn((await chat(world, "--json")).out);
  const ran = await world.run(["chat", "go", ...scripted(world), ...inSession, "--json"]);
  const resume = (run: string, ...args: readonly string[]) =>
    world.run(["chat", "on", ...scripted(world), "--resume", run, "--json", ...args]);
  return { world, onHost, inSession: runIn(ran.out), resume };
}

test("--resume continues a run on the host with --fs host, and last is the newest of that mode", async () => {
  const { onHost, inSession, resume } = await openBoth();
  const resumed = [
    await resume(onHost, ...ON_HOST),
    await resume("last", ...ON_HOST),
    await resume("last"),
    await resume(inSession),
  ];
  expect(resumed.map(({ code, out }) => [code, runIn(out)])).toEqual([
    [0, onHost],
    [0, onHost],
    [0, inSession],
    [0, inSession],
  ]);
  const [first] = resumed;
  expect(JSON.parse(first!.out.split("\n", 1)[0]!)).toMatchObject({ seq: 6, session: null });
});

test("--session chooses the session in which last is found; a run of another one is wrong use", async () => {
  const world = withScript([{ text: "One." }]);
  const start = async () => {
    const { out } = await world.run(["chat", "go", ...scripted(world), ...inSession, "--json"]);
    const { run, session } = JSON.parse(out.split("\n", 1)[0]!);
    return { run, session } as { readonly run: string; readonly session: string };
  };
  const [first, second] = [await start(), await start()];
  const created = await world.run(["session", "create", "--strategy", "clone", "--json"]);
  const empty = JSON.parse(created.out).id as string;
  const resume = (run: string, session: string) =>
    world.run(["chat", "on", ...scripted(world), "--resume", run, "--session", session, "--json"]);
  const resumed = [await resume("last", first.session), await resume(second.run, second.session)];
  expect(resumed.map(({ code, out }) => [code, runIn(out)])).toEqual([
    [0, first.run],
    [0, second.run],
  ]);
  expect(await resume(second.run, first.session)).toEqual({
    code: 2,
    out: expect.stringContaining('"USAGE"'),
    err: `hotcell: Could not resume ${second.run}: it worked in the session ${second.session}. Omit --session.\n`,
  });
  expect(await resume("last", empty)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`Could not find a run of the session ${empty} to resume.`),
  });
});

test("--resume prints a call that waited with its argument", async () => {
  const world = withScript([
    {
      calls: [
        { name: "read_file", arguments: { path: "a.txt" } },
        { name: "write_file", arguments: { path: "b.txt", content: "x" } },
      ],
    },
    { text: "Done." },
  ]);
  const run = runIn((await chat(world, "--json", "--budget", "calls=1")).out);
  // As after a kill before the second call.
  cutAfter(world, run, ({ kind, outcome }) => kind === "call.result" && outcome === "executed_ok");
  const { code, out } = await world.run(["chat", ...scripted(world), ...ON_HOST, "--resume", run]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^● write_file b\.txt\nDone\.\n/)]);
});

test("a run goes on where it began: in another mode or project it is wrong use, and the message says what to do", async () => {
  const { world, onHost, inSession, resume } = await openBoth();
  const refused = [
    await resume(onHost),
    await resume(inSession, ...ON_HOST),
    await resume(onHost, ...ON_HOST, "--workspace", world.stateDir.replace(/state$/, "")),
    await resume(onHost, ...ON_HOST, "--name", "other"),
  ];
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(refused.map(({ err }) => err.replace(/.*: /, "").trim())).toEqual([
    "it worked with --fs host. Add --fs host.",
    expect.stringMatching(/^it worked in the session [\w-]+\. Omit --fs host\.$/),
    "it worked in another project, or with another --name. Give that one.",
    "it worked in another project, or with another --name. Give that one.",
  ]);
});

test("a run on the host that shared the project with another cell is continued, and no call of it runs twice", async () => {
  const content = "once";
  const world = withScript([{ calls: [{ name: "write_file", arguments: { path: "b.txt", content } }] }]);
  const other = await openCell({ workspace: world.root, stateDir: world.stateDir, fs: "host" });
  const { out } = await chat(world, "--json", "--budget", "calls=1");
  await other.close();
  const run = runIn(out);
  // As after a kill between the call and its result.
  cutAfter(world, run, ({ kind }) => kind === "answer");
  fs.rmSync(path.join(world.root, "b.txt"));
  fs.writeFileSync(path.join(world.root, "script.json"), JSON.stringify({ turns: [{ text: "Done." }] }));
  const resumed = await chat(world, "--json", "--resume", run);
  expect(resumed.code).toBe(0);
  expect(resumed.out).toContain("The call ended (executed_ok), but hotcell was stopped");
  expect(fs.existsSync(path.join(world.root, "b.txt"))).toBe(false);
});
