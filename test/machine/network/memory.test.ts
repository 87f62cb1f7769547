// Answers that are larger than the memory that hotcell may take for them. Its memory is measured in a process of its own.
import { Readable } from "node:stream";
import zlib from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/core/limits.ts";
import { measureInChild, openConnections } from "../../kit/machine-and-soak/network-memory.ts";
import { startRawServer } from "../../kit/raw-server.ts";

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** A file of gzip may have many members. */
function makeBomb(): Buffer[] {
  const member = zlib.gzipSync(Buffer.alloc(16 * MiB));
  return Array.from({ length: GiB / (16 * MiB) }, () => member);
}

async function countDecoded(encoded: readonly Buffer[]): Promise<number> {
  let bytes = 0;
  for await (const chunk of Readable.from(encoded).pipe(zlib.createGunzip({ chunkSize: MiB })))
    bytes += chunk.length;
  return bytes;
}

test("a body of 1 MiB that decodes to 1 GiB is cut, and takes memory for what is kept only", async () => {
  const bomb = makeBomb();
  expect(await countDecoded(bomb)).toBe(GiB);
  const bytes = Buffer.concat(bomb);
  expect(bytes.length).toBeLessThan(2 * MiB);
  const server = await startRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  });
  onTestFinished(() => server.close());
  const { done, peakGrowth } = await measureInChild("request", server.port);
  expect(done).toEqual({ read: LIMITS.maxResponseBytes, truncated: true });
  expect(peakGrowth).toBeLessThan(GiB / 8);
});

test("50 connections of a command to a granted host have 1,600 MiB to read, and hotcell keeps little of it", async () => {
  const { done, peakGrowth } = await openConnections(50, 32 * MiB);
  expect(done).toEqual({ opened: 50, read: 32 * MiB });
  expect(peakGrowth).toBeLessThan(256 * MiB);
});
