// Disconnects a client at random moments of runs, sometimes with the server, and connects it again with `resumeFrom`.
import { expect } from "vitest";
import { type Frame, openChatSocket } from "../worlds/chat-socket.ts";
import { createServerPlace, type ServerProcess } from "../worlds/server-process.ts";

export interface Disconnected {
  readonly disconnects: number;
  readonly kills: number;
  readonly runs: number;
}

/** Until there were so many disconnects; every `killEvery`th one kills the server. */
export async function disconnectOften(count: number, killEvery: number): Promise<Disconnected> {
  const place = createServerPlace();
  let server = await place.start();
  let disconnects = 0;
  let kills = 0;
  let runs = 0;
  while (disconnects < count) {
    const name = `run${++runs}`;
    const { body } = await server.api("POST", "/api/runs", { content: `${name} 6` });
    const seen: Frame[] = [];
    while (!isOver(seen)) {
      const last = seen.at(-1)?.seq ?? 0;
      seen.push(...(await readSome(server, body.run, last, 1 + Math.floor(Math.random() * 8))));
      if (isOver(seen)) break;
      disconnects++;
      if (disconnects % killEvery !== 0) continue;
      await server.kill();
      kills++;
      server = await place.start();
      expect((await server.api("POST", `/api/runs/${body.run}/resume`, {})).status).toBe(200);
    }
    expect(seen).toEqual(await readAll(server, body.run));
  }
  const marks = place.marks();
  expect(new Set(marks).size, "no effect twice").toBe(marks.length);
  expect(await server.stop()).toBe(0);
  return { disconnects, kills, runs };
}

const isOver = (frames: readonly Frame[]) => frames.at(-1)?.type === "chat:stream-end";

/** At most so many frames of the run after a number. */
async function readSome(server: ServerProcess, run: string, after: number, most: number): Promise<Frame[]> {
  const chat = await openChatSocket(server);
  const own = () => chat.frames.filter(({ conversationId }) => conversationId === run);
  chat.send({ type: "chat:resume", conversationId: run, resumeFrom: after });
  await chat.until(() => own().length >= most || isOver(own()));
  chat.socket.terminate();
  const frames = own();
  const end = frames.findIndex(({ type }) => type === "chat:stream-end");
  return end < 0 ? frames : frames.slice(0, end + 1);
}

async function readAll(server: ServerProcess, run: string): Promise<Frame[]> {
  return readSome(server, run, 0, Number.POSITIVE_INFINITY);
}
