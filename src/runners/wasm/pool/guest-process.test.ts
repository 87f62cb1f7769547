// What a guest process could send if a module took it over. Each case ends the process and the run; none harms hotcell.
import { once } from "node:events";
import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { GuestSandbox } from "../../../shield/guest/guest-sandbox.ts";
import type { AnswerMessage } from "../answer-message.ts";
import { encodeFrame, FrameDecoder } from "../guest/frames.ts";
import { createGuestProcess, type GuestJob } from "./guest-process.ts";

/** A process, and the guest's end of its channel. */
async function openProcess() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const guest = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  const [[channel]] = (await Promise.all([once(server, "connection"), once(guest, "connect")])) as [
    [net.Socket],
    unknown,
  ];
  guest.on("error", () => {});
  channel.on("error", () => {});
  onTestFinished(() => {
    guest.destroy();
    channel.destroy();
    server.close();
  });
  let end = (_said: string) => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  guest.once("close", () => end("it closed its channel"));
  const sandbox: GuestSandbox = {
    channel,
    ended,
    keepAlive() {},
    async kill() {
      channel.destroy();
      end("killed");
    },
  };
  const process = createGuestProcess(sandbox);
  const send = (head: object, body?: Uint8Array) => {
    for (const part of encodeFrame(head as never, body)) guest.write(part);
  };
  send({ op: "ready" });
  return { process, guest, send };
}

const REPLY = { head: { value: null }, body: new Uint8Array() };

function jobOf(answer: AnswerMessage = () => REPLY): GuestJob {
  const module = { bytes: new Uint8Array(), names: { fuel: "f", memoryDenied: "d", start: null } };
  return {
    moduleKey: "m",
    module,
    input: new Uint8Array(),
    message: {
      script: null,
      args: [],
      env: {},
      mounts: [],
      fuel: 1,
      maxOutputBytes: 1,
      maxDiagnosticBytes: 1,
      seed: null,
    },
    answer,
    onOutput() {},
  };
}

const lengths = (head: number, body: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(head, 0);
  bytes.writeUInt32LE(body, 4);
  return bytes;
};
const END = {
  op: "end",
  status: "exit",
  exitCode: 0,
  fuel: 1,
  memoryBytes: 1,
  memoryDenied: false,
  message: "",
};
const frame = (head: unknown) => Buffer.concat(encodeFrame(head as never));

test.each<[string, Buffer]>([
  ["a head of 4 GiB", lengths(0xffffffff, 0)],
  ["a body of 4 GiB", lengths(2, 0xffffffff)],
  ["a head that is no JSON", Buffer.concat([lengths(2, 0), Buffer.from("{,")])],
  ["a head that is an array", frame([])],
  ["a head that is null", frame(null)],
  ["an unknown message", frame({ op: "shell" })],
  ["a message named like what every object has", frame({ op: "constructor" })],
  ["a second ready", frame({ op: "ready" })],
  ["an unknown ending", frame({ ...END, status: "won" })],
  ["an ending that is no text", frame({ ...END, status: ["exit"] })],
])("%s ends the run with GUEST_CRASHED, and the message says what to do", async (_name, bytes) => {
  const { process, guest } = await openProcess();
  const ended = process.run(jobOf());
  guest.write(bytes);
  const message = expect.stringContaining("Call the tool again: it gets a new process.");
  await expect(ended).rejects.toMatchObject({ code: "GUEST_CRASHED", message });
  expect(process.isUsable).toBe(false);
});

/** The frames that the guest receives, as their heads. */
function readHeads(guest: net.Socket): JsonObject[] {
  const heads: JsonObject[] = [];
  const decoder = new FrameDecoder();
  guest.on("data", (chunk: Buffer) => {
    decoder.push(chunk);
    for (let frame = decoder.next(); frame !== null; frame = decoder.next()) heads.push(frame.head);
  });
  return heads;
}

test("a module is sent once, and again only after more others than a process keeps: the one used longest ago makes room", async () => {
  const { process, guest, send } = await openProcess();
  const heads = readHeads(guest);
  const runAll = async (keys: readonly string[]) => {
    const from = heads.length;
    for (const moduleKey of keys) {
      const ended = process.run({ ...jobOf(), moduleKey });
      while (heads.at(-1)?.op !== "run" || heads.at(-1)?.module !== moduleKey) await once(guest, "data");
      send(END);
      await ended;
    }
    return heads
      .slice(from)
      .filter(({ op }) => op === "module")
      .map(({ key }) => key);
  };
  const keys = Array.from({ length: LIMITS.guestModules }, (_, index) => `m${index}`);
  expect(await runAll([...keys, ...keys])).toEqual(keys);
  expect(await runAll(["m0", "new"])).toEqual(["new"]);
  expect(await runAll(["m0", "m1", "m2"])).toEqual(["m1", "m2"]);
});

test("a process that ends within a message ends the run with GUEST_CRASHED", async () => {
  const { process, guest, send } = await openProcess();
  const answer = () => {
    guest.write(lengths(100, 100), () => guest.destroy());
    return REPLY;
  };
  const ended = process.run(jobOf(answer));
  send({ op: "host", method: "log" });
  await expect(ended).rejects.toMatchObject({ code: "GUEST_CRASHED" });
});

test("numbers of an ending that are none count as zero, and its text is cut", async () => {
  const { process, send } = await openProcess();
  const ended = process.run(jobOf());
  send({ ...END, exitCode: -1, fuel: 1e300, memoryBytes: "9", memoryDenied: 1, message: "x".repeat(9999) });
  expect(await ended).toEqual({
    status: "exit",
    exitCode: 0,
    fuel: 0,
    memoryBytes: 0,
    memoryDenied: false,
    message: "x".repeat(500),
  });
});

test("a message after the ending reaches no run: the process is not used again", async () => {
  const { process, guest } = await openProcess();
  const answered: unknown[] = [];
  const answer: AnswerMessage = (message) => {
    answered.push(message);
    return REPLY;
  };
  const ended = process.run(jobOf(answer));
  guest.write(Buffer.concat([frame(END), frame({ op: "files", mount: 0, method: "list", args: [""] })]));
  expect(await ended).toMatchObject({ status: "exit" });
  expect([process.isUsable, answered]).toEqual([false, []]);
});

test("requests that a guest sends at once are answered one after another", async () => {
  const { process, guest, send } = await openProcess();
  let [running, most, answered] = [0, 0, 0];
  const answer = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    answered++;
    return REPLY;
  };
  const ended = process.run(jobOf(answer));
  guest.write(Buffer.concat(Array.from({ length: 50 }, () => frame({ op: "host", method: "log" }))));
  send(END);
  await ended;
  expect([most, answered]).toEqual([1, 50]);
});

test("a guest that asks and takes no replies stops being answered: hotcell does not keep them", async () => {
  const { process, guest } = await openProcess();
  guest.pause();
  let answered = 0;
  const body = Buffer.alloc(256 * 1024);
  const ended = process.run(
    jobOf(() => {
      answered++;
      return { head: { value: 1 }, body };
    }),
  );
  const read = frame({ op: "files", mount: 0, method: "read", args: [1, 262_144, 0] });
  guest.write(Buffer.concat(Array.from({ length: 2000 }, () => read)));
  // Nothing more is answered when two looks in a row see the same.
  for (let before = -1; before !== answered; ) {
    before = answered;
    for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(answered).toBeGreaterThan(0);
  // 500 MB would have been asked for; what is answered fits the kernel's buffers.
  expect(answered).toBeLessThan(200);
  const crash = expect(ended).rejects.toMatchObject({ code: "GUEST_CRASHED" });
  await process.kill();
  await crash;
});
