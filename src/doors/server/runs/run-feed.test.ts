import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { tempDir } from "../../../../test/kit/worlds/temp-cell.ts";
import type { AgentEventBody } from "../../../agent/agent-event.ts";
import { openRunLog, runLogFile } from "../../../agent/run-log.ts";
import { createRunFeed, type SentFrame } from "./run-feed.ts";

const RUN = "run_00000001";

/** A feed, and a run that writes its events to the log first. */
function openWorld() {
  const dir = tempDir();
  const file = runLogFile(dir, RUN);
  const log = openRunLog(dir, RUN);
  onTestFinished(log.close);
  const feed = createRunFeed();
  const left = new AbortController();
  onTestFinished(() => left.abort());
  return {
    file,
    open: () => feed.open(RUN, file),
    close: () => feed.close(RUN),
    append: (body: AgentEventBody) => log.append(body),
    say: (content: string) => feed.publish(RUN, log.append({ kind: "text", content })),
    /** An event without a frame. */
    count: () =>
      feed.publish(
        RUN,
        log.append({
          kind: "model.usage",
          usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
        } as never),
      ),
    follow: (after: number, stays: boolean) =>
      feed.follow(RUN, file, after, { stays, signal: AbortSignal.any([left.signal]) }),
    leave: () => left.abort(),
  };
}

/** Counts how often the file is opened, and how many bytes are read. */
function countReads(file: string) {
  const { openSync, readSync, readFileSync } = fs;
  const counted = { opens: 0, bytes: 0 };
  const spies = [
    vi.spyOn(fs, "openSync").mockImplementation(((...args: Parameters<typeof openSync>) => {
      if (args[0] === file) counted.opens++;
      return openSync(...args);
    }) as typeof openSync),
    vi.spyOn(fs, "readSync").mockImplementation(((...args: Parameters<typeof readSync>) => {
      const bytes = readSync(...args);
      counted.bytes += bytes;
      return bytes;
    }) as typeof readSync),
    vi.spyOn(fs, "readFileSync").mockImplementation(((...args: Parameters<typeof readFileSync>) => {
      const content = readFileSync(...args);
      counted.bytes += content.length;
      return content;
    }) as typeof readFileSync),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  return counted;
}

/** Takes frames until there are no more; `seqs` grows meanwhile. */
function takeAll(frames: AsyncGenerator<SentFrame>) {
  const seqs: number[] = [];
  const take = async () => {
    for await (const { seq } of frames) seqs.push(seq);
  };
  return { seqs, ended: take() };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test("followers that have all events of a run do not read its log when it ends, nor when it continues", async () => {
  const { file, open, close, say, count, follow, leave } = openWorld();
  open();
  const reads = countReads(file);
  const ending = Array.from({ length: 20 }, () => takeAll(follow(0, false)));
  const staying = Array.from({ length: 20 }, () => takeAll(follow(0, true)));
  say("one");
  await setImmediate();
  say("two");
  count();
  close();
  await Promise.all(ending.map(({ ended }) => ended));
  await setImmediate();
  expect([...ending, ...staying].map(({ seqs }) => seqs)).toEqual(Array(40).fill([1, 2]));
  expect(reads.opens).toBe(0);

  open();
  expect(reads.opens, "the run itself reads its log").toBe(1);
  say("four");
  close();
  await setImmediate();
  leave();
  await Promise.all(staying.map(({ ended }) => ended));
  expect(staying.map(({ seqs }) => seqs)).toEqual(Array(20).fill([1, 2, 4]));
  expect(reads.opens).toBe(1);
});

test("a follower that is behind when the run ends, and when it has ended a second time, misses and repeats nothing", async () => {
  const { open, close, say, follow, leave } = openWorld();
  open();
  const frames = follow(0, true);
  const first = frames.next();
  say("one");
  say("two");
  expect((await first).value.seq).toBe(1);
  close();
  open();
  say("three");
  close();
  const { seqs, ended } = takeAll(frames);
  await expect.poll(() => seqs).toEqual([2, 3]);
  leave();
  await ended;
  expect(seqs).toEqual([2, 3]);
});

test("whoever follows from the beginning reads the log in parts, and only when the frames before are taken", async () => {
  const { file, append, follow } = openWorld();
  const content = "x".repeat(10_000);
  for (let at = 0; at < 400; at++) append({ kind: "text", content });
  const { size } = fs.statSync(file);
  const reads = countReads(file);
  const frames = follow(0, false);
  expect((await frames.next()).value.seq).toBe(1);
  expect(reads.opens).toBe(1);
  expect(reads.bytes).toBeLessThan(size / 10);
  const { seqs, ended } = takeAll(frames);
  await ended;
  expect(seqs).toEqual(numbers(2, 400));
  expect(reads.bytes, "each part is read once, with a part of a line").toBeLessThan(size * 1.1);
});

test("a follower that falls behind what is kept in memory gets the rest from the log", async () => {
  const { open, close, say, follow } = openWorld();
  open();
  const frames = follow(0, false);
  const first = frames.next();
  for (let at = 0; at < 2000; at++) say(`${at}`);
  expect((await first).value.seq).toBe(1);
  close();
  const { seqs, ended } = takeAll(frames);
  await ended;
  expect(seqs).toEqual(numbers(2, 2000));
});

test("an event that is longer than a part is read whole, and a line that is not finished is waited for", async () => {
  const { file, append, follow } = openWorld();
  const content = "x".repeat(3_000_000);
  append({ kind: "text", content });
  append({ kind: "text", content: "end" });
  fs.appendFileSync(file, '{"seq":3,"kind":"te');
  const texts: string[] = [];
  for await (const { text } of follow(0, false)) texts.push(JSON.parse(text).content);
  expect(texts).toEqual([content, "end"]);
});

test("the events of a run that goes on in another process come, and its end", async () => {
  const dir = tempDir();
  const feed = createRunFeed();
  const left = new AbortController();
  const follow = (stays: boolean) =>
    takeAll(feed.follow(RUN, runLogFile(dir, RUN), 0, { stays, signal: left.signal }));
  const child = spawn(process.execPath, ["test/kit/children/run-log-child.mjs", dir, RUN], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const say = async (text: string) => {
    child.stdin.write(`${text}\n`);
    await once(child.stdout, "data");
  };
  await say("one");
  const [ending, staying] = [follow(false), follow(true)];
  await expect.poll(() => [ending.seqs, staying.seqs]).toEqual([[1], [1]]);
  await say("two");
  await expect.poll(() => [ending.seqs, staying.seqs]).toEqual(Array(2).fill([1, 2]));
  child.stdin.end("three\n");
  await ending.ended;
  expect(ending.seqs).toEqual([1, 2, 3]);
  await expect.poll(() => staying.seqs).toEqual([1, 2, 3]);
  const log = openRunLog(dir, RUN);
  log.append({ kind: "text", content: "four" });
  log.close();
  await expect.poll(() => staying.seqs).toEqual([1, 2, 3, 4]);
  left.abort();
  await staying.ended;
});
