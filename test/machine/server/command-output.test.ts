import { expect, test } from "vitest";
import { openModel } from "../../../src/models/open-model.ts";
import { openChatSocket } from "../../kit/worlds/chat-socket.ts";
import { openServerWorld } from "../../kit/worlds/server-world.ts";

test("chat:tool-delta has the output of a command as it comes", async () => {
  const world = await openServerWorld({ agent: { model: openModel({ model: "scripted" }) } });
  const chat = await openChatSocket(world);
  chat.send({ type: "chat:send", content: "run echo one; echo two >&2" });
  const delta = await chat.next("chat:tool-delta");
  expect(Object.keys(delta).sort()).toEqual(
    ["chunk", "conversationId", "messageId", "seq", "stream", "toolId", "type"].sort(),
  );
  await chat.next("chat:stream-end");
  const chunks = chat.frames.filter(({ type }) => type === "chat:tool-delta").map(({ chunk }) => chunk);
  expect(chunks.join("").split("\n").sort()).toEqual(["", "one", "two"]);
});
