// What a session keeps beside its layers: artifacts, @state and its log.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";

const BIG = "x".repeat(3_000_000);

/** A session with a change, an artifact and a file in @state. */
async function openWithArtifact() {
  const world = openCliWorld({ big: BIG });
  const call = async (tool: string, args: unknown) =>
    JSON.parse(
      (
        await world.run([
          "call",
          tool,
          JSON.stringify(args),
          "--name",
          "kept",
          "--strategy",
          "clone",
          "--json",
        ])
      ).out,
    );
  const { meta } = await call("write_file", { path: "new", content: "2\n" });
  const run = path.join(world.stateDir, "runs", meta.session);
  fs.mkdirSync(path.join(run, "logs", "artifacts"), { recursive: true });
  fs.writeFileSync(path.join(run, "logs", "artifacts", "a".repeat(64)), BIG);
  fs.mkdirSync(path.join(run, "state"), { recursive: true });
  fs.writeFileSync(path.join(run, "state", "notes"), "notes");
  return { ...world, id: meta.session as string, run: world.run, runDir: run };
}

const bytesFreed = async ({ run }: Pick<CliWorld, "run">, ...args: string[]) =>
  JSON.parse((await run(["session", "gc", "--json", ...args])).out).freedBytes;

test("issue-17-4: artifacts count into the size of a session", async () => {
  const { run } = await openWithArtifact();
  const [listed] = JSON.parse((await run(["session", "list", "--json"])).out);
  expect(listed.artifactBytes).toBeGreaterThanOrEqual(BIG.length);
  expect(listed.bytes).toBeGreaterThan(listed.artifactBytes);
  expect((await run(["session", "show", "kept"])).out).toMatch(/^size +[\d.]+ MB, .* of it artifacts$/m);
});

test("issue-17-4: gc removes artifacts and state with their session, and says what it freed; the log stays until audit prune", async () => {
  const world = await openWithArtifact();
  const { run, runDir } = world;
  expect(await bytesFreed(world, "--max-size", "0", "--yes")).toBeGreaterThan(BIG.length);
  expect([fs.existsSync(path.join(runDir, "state")), fs.readdirSync(path.join(runDir, "logs"))]).toEqual([
    false,
    ["execution.jsonl"],
  ]);
  expect((await run(["audit", "verify"])).code).toBe(0);
  expect((await run(["audit", "prune"])).err).toContain("Add --yes");
  const dry = JSON.parse((await run(["audit", "prune", "--dry-run", "--json"])).out);
  expect([dry.removed.length, fs.existsSync(runDir)]).toEqual([1, true]);
  expect((await run(["audit", "prune", "--yes"])).out).toMatch(
    /^Removed 1 log of sessions that no longer exist: /,
  );
  expect([fs.existsSync(runDir), (await run(["audit", "verify"])).out]).toEqual([
    false,
    "No log yet: nothing was called.\n",
  ]);
});

test("issue-17-4: recordings count into the size of a session, and not into what gc freed: they stay with the log", async () => {
  const world = await openWithArtifact();
  const recordings = path.join(world.runDir, "logs", "recordings");
  const sizeOf = async () => JSON.parse((await world.run(["session", "list", "--json"])).out)[0].bytes;
  const before = await sizeOf();
  const freed = () => bytesFreed(world, "--max-size", "0", "--dry-run");
  const freedBefore = await freed();
  fs.mkdirSync(recordings);
  fs.writeFileSync(path.join(recordings, "a".repeat(64)), BIG);
  expect(await sizeOf()).toBeGreaterThanOrEqual(before + BIG.length);
  expect(await freed()).toBe(freedBefore);
  await bytesFreed(world, "--max-size", "0", "--yes");
  expect(fs.readdirSync(recordings)).toEqual(["a".repeat(64)]);
});

test("issue-17-4: after audit prune the log of a session that exists still verifies", async () => {
  const { run, stateDir, id, runDir } = await openWithArtifact();
  const write = '{"path":"other","content":"3\\n"}';
  const { out } = await run([
    "call",
    "write_file",
    write,
    "--name",
    "second",
    "--strategy",
    "clone",
    "--json",
  ]);
  const second = path.join(stateDir, "runs", JSON.parse(out).meta.session);
  fs.rmSync(path.join(stateDir, "sessions", id), { recursive: true });
  expect((await run(["audit", "prune", "--yes"])).code).toBe(0);
  expect([fs.existsSync(runDir), fs.existsSync(second)]).toEqual([false, true]);
  expect(await run(["audit", "verify"])).toMatchObject({
    code: 0,
    out: expect.stringContaining(path.basename(second)),
  });
  fs.truncateSync(path.join(second, "logs", "execution.jsonl"), 10);
  expect((await run(["audit", "verify"])).code).toBe(1);
});

test("issue-17-4: gc removes the artifacts of a session that was removed before", async () => {
  const world = await openWithArtifact();
  fs.rmSync(path.join(world.stateDir, "sessions", world.id), { recursive: true });
  expect(await bytesFreed(world, "--dry-run")).toBeGreaterThan(BIG.length);
  expect(await bytesFreed(world)).toBeGreaterThan(BIG.length);
  expect(await bytesFreed(world)).toBe(0);
});

test("issue-17-4: a log that does not verify is not pruned, nor one of a session that is there", async () => {
  const world = await openWithArtifact();
  const { run, runDir, id } = world;
  expect(JSON.parse((await run(["audit", "prune", "--yes", "--json"])).out)).toMatchObject({ removed: [] });
  fs.rmSync(path.join(world.stateDir, "sessions", id), { recursive: true });
  fs.truncateSync(path.join(runDir, "logs", "execution.jsonl"), 10);
  const { code, out } = await run(["audit", "prune", "--yes"]);
  expect([code, out]).toEqual([1, expect.stringContaining(`kept  ${id}: its log does not verify`)]);
  expect(fs.existsSync(runDir)).toBe(true);
});

/** A session in which an agent wrote a file. */
async function openWithAgentRun() {
  const { run, stateDir } = openCliWorld();
  const args = ["chat", "write q.txt hello", "--model", "scripted", "--strategy", "clone"];
  expect((await run([...args, "--trust", "autonomous"])).code).toBe(0);
  const [id] = fs.readdirSync(path.join(stateDir, "sessions"));
  const runDir = path.join(stateDir, "runs", id!);
  const logsLeft = () =>
    fs.existsSync(path.join(runDir, "agent"))
      ? fs.readdirSync(path.join(runDir, "agent")).filter((name) => name.endsWith(".jsonl"))
      : [];
  expect(logsLeft()).toEqual([expect.stringMatching(/^run_/)]);
  return { run, stateDir, id: id!, runDir, logsLeft };
}

test("issue-19: the log of an agent run counts into the size of its session, which gc keeps for it", async () => {
  const { run, id, runDir, logsLeft } = await openWithAgentRun();
  fs.appendFileSync(path.join(runDir, "agent", logsLeft()[0]!), BIG);
  const [listed] = JSON.parse((await run(["session", "list", "--json"])).out);
  expect(listed.bytes).toBeGreaterThanOrEqual(BIG.length);
  await run(["session", "discard", id, "--yes"]);
  expect(JSON.parse((await run(["session", "gc", "--json"])).out).removed).toEqual([]);
  expect(logsLeft().length).toBe(1);
});

test("issue-19: the log of an agent run is removed with its session; the execution log stays until audit prune", async () => {
  const { run, stateDir, id, runDir, logsLeft } = await openWithAgentRun();
  expect((await run(["session", "gc", "--max-size", "0", "--yes"])).code).toBe(0);
  expect([fs.existsSync(path.join(stateDir, "sessions", id)), logsLeft()]).toEqual([false, []]);
  expect(fs.readdirSync(path.join(runDir, "logs"))).toEqual(["execution.jsonl"]);
  expect((await run(["audit", "verify"])).code).toBe(0);
});

test("issue-19: gc removes the log of an agent run whose session was removed before", async () => {
  const { run, stateDir, id, logsLeft } = await openWithAgentRun();
  fs.rmSync(path.join(stateDir, "sessions", id), { recursive: true });
  expect(JSON.parse((await run(["session", "gc", "--json"])).out).freedBytes).toBeGreaterThan(0);
  expect(logsLeft()).toEqual([]);
});
