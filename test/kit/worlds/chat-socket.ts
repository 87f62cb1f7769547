// A client of the server's WebSocket that keeps all frames.
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { ServerWorld } from "./server-world.ts";

export interface Frame {
  readonly type: string;
  readonly seq: number;
  readonly conversationId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what they got.
  readonly [field: string]: any;
}

export interface ChatSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  send(frame: object): void;
  /** The first frame of this type that no earlier call has returned. Fails on an error that nobody expects. */
  next(type: string): Promise<Frame>;
  /** Resolves when this holds; looks after every frame. */
  until(holds: () => boolean): Promise<void>;
  /** The code with which the socket is closed. */
  readonly closed: Promise<number>;
}

export async function openChatSocket({
  url,
  token,
}: Pick<ServerWorld, "url" | "token">): Promise<ChatSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const frames: Frame[] = [];
  const taken = new Set<Frame>();
  let wake = () => {};
  const nextFrame = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  socket.on("message", (data) => {
    frames.push(JSON.parse(String(data)));
    wake();
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
    socket.on("unexpected-response", (_, { statusCode }) => reject(new Error(`status ${statusCode}`)));
  });
  return {
    socket,
    frames,
    closed,
    send: (frame) => socket.send(JSON.stringify(frame)),
    async next(type) {
      for (;;) {
        const found = frames.find((frame) => frame.type === type && !taken.has(frame));
        if (found !== undefined) {
          taken.add(found);
          return found;
        }
        const error = frames.find((frame) => frame.type === "chat:error" && !taken.has(frame));
        if (error !== undefined) expect.fail(`an error instead of ${type}: ${error.message}`);
        await nextFrame();
      }
    },
    async until(holds) {
      while (!holds()) await nextFrame();
    },
  };
}
