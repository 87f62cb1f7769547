// Many sockets and runs at once, a client that never reads, and a kill in the middle.
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { listRuns, runPaths } from "../../../src/log/runs.ts";
import { verifyLog } from "../../../src/log/verify.ts";
import { childrenOf } from "../children/children.ts";
import { type ChatSocket, type Frame, openChatSocket } from "../worlds/chat-socket.ts";
import { createServerPlace, type ServerProcess } from "../worlds/server-process.ts";

export interface LoadOptions {
  readonly sockets: number;
  readonly runs: number;
  /** Two calls each. */
  readonly turns: number;
}

export interface LoadResult {
  readonly calls: number;
  readonly peakBytes: number;
}

export async function loadServer({ sockets, runs, turns }: LoadOptions): Promise<LoadResult> {
  const place = createServerPlace();
  const calls = runs * turns * 2;
  const first = await place.start();
  const started = await Promise.all(
    Array.from({ length: runs }, (_, at) => first.api("POST", "/api/runs", { content: `r${at} ${turns}` })),
  );
  expect(started.filter(({ status }) => status !== 200)).toEqual([]);
  const ids = started.map(({ body }) => body.run as string);
  const followed = Array.from({ length: sockets }, (_, at) => ids[at % runs]!);
  const before = await Promise.all(followed.map((run) => follow(first, run, 0)));
  await openDeafSocket(first, ids);

  while (place.marks().length < calls / 2) await setTimeout(20);
  const firstPeak = peakOf(first.child.pid!);
  await first.kill();
  const second = await place.start();
  const deaf = await openDeafSocket(second, ids);
  const seen = before.map((chat, at) => framesOf(chat, followed[at]!));
  const after = await Promise.all(followed.map((run, at) => follow(second, run, seen[at]!.at(-1)?.seq ?? 0)));
  const listed = (await second.api("GET", "/api/runs")).body.runs as { id: string; state: string }[];
  const states = new Set(listed.map(({ state }) => state));
  expect([...states].filter((state) => state !== "interrupted" && state !== "ended")).toEqual([]);
  for (const { id } of listed.filter(({ state }) => state === "interrupted"))
    expect((await second.api("POST", `/api/runs/${id}/resume`, {})).status).toBe(200);
  await waitForEnd(second);

  const whole = new Map<string, Frame[]>();
  for (const run of ids) whole.set(run, await readWhole(second, run));
  const ends = [...whole.values()].map((frames) => frames.at(-1));
  expect(ends.filter((end) => end?.type !== "chat:stream-end" || end.stop !== "done")).toEqual([]);
  for (const [at, chat] of after.entries()) {
    const run = followed[at]!;
    const last = whole.get(run)!.at(-1)!.seq;
    await chat.until(
      () => framesOf(chat, run).some(({ seq }) => seq === last) || seen[at]!.at(-1)?.seq === last,
    );
    expect([...seen[at]!, ...framesOf(chat, run)]).toEqual(whole.get(run));
  }
  const marks = place.marks();
  expect(new Set(marks).size, "no effect twice").toBe(marks.length);
  expect(marks.length).toBeGreaterThan(calls / 2);
  for (const run of listRuns(place.stateDir)) {
    const { logFile, anchorFile } = runPaths(place.stateDir, run);
    expect(verifyLog(logFile, anchorFile)).toMatchObject({ ok: true });
  }
  await checkIdle(second, [...after, deaf]);
  const peakBytes = Math.max(firstPeak, peakOf(second.child.pid!));
  expect(await second.stop()).toBe(0);
  expect([first.stderr(), second.stderr()]).toEqual(["", ""]);
  return { calls: marks.length, peakBytes };
}

/** Sessions are released, no process is left, and descriptors are those of the server itself. */
async function checkIdle(server: ServerProcess, chats: readonly ChatSocket[]): Promise<void> {
  for (const { socket } of chats) socket.terminate();
  const pid = server.child.pid!;
  const isIdle = async () => {
    const { sessions } = (await server.api("GET", "/api/sessions")).body;
    return (sessions as { state: string }[]).every(({ state }) => state === "idle");
  };
  while (!(await isIdle())) await setTimeout(100);
  expect(childrenOf(pid)).toEqual([]);
  while (fs.readdirSync(`/proc/${pid}/fd`).length > 60) await setTimeout(100);
}

function peakOf(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(
    fs.readFileSync(path.join("/proc", `${pid}`, "status"), "utf8"),
  )?.[1];
  return Number(kib) * 1024;
}

const framesOf = ({ frames }: ChatSocket, run: string) =>
  frames.filter(({ conversationId }) => conversationId === run);

async function follow(server: ServerProcess, run: string, after: number): Promise<ChatSocket> {
  const chat = await openChatSocket(server);
  chat.send({ type: "chat:resume", conversationId: run, resumeFrom: after });
  return chat;
}

/** A client that never reads: it is dropped, and the memory of the server stays bounded. */
async function openDeafSocket(server: ServerProcess, runs: readonly string[]): Promise<ChatSocket> {
  const deaf = await openChatSocket(server);
  deaf.socket.pause();
  for (const run of runs.slice(0, 64)) deaf.send({ type: "chat:resume", conversationId: run, resumeFrom: 0 });
  return deaf;
}

async function waitForEnd(server: ServerProcess): Promise<void> {
  for (;;) {
    const { runs } = (await server.api("GET", "/api/runs")).body;
    if ((runs as { state: string }[]).every(({ state }) => state === "ended")) return;
    await setTimeout(200);
  }
}

async function readWhole(server: ServerProcess, run: string): Promise<Frame[]> {
  const answer = await fetch(`${server.url}/api/runs/${run}/events?from=0`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  return [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
}
