import { describe, expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { readFirstBytes } from "./first-bytes.ts";

const read = (text: string) => readFirstBytes(Buffer.from(text, "latin1"));

describe("HTTP is whatever a server might read as a request", () => {
  test.each([
    "GET / HTTP/1.1\r\n",
    "get / http/1.0\n",
    "\r\n\r\nGET / HTTP/1.1\r\n",
    " GET / HTTP/1.1\r\n",
    "\x1cGET / HTTP/1.1\r\n",
    "GET\t/\tHTTP/1.1\r\n",
    "GET /\xe9 HTTP/1.1\r\n",
    "GET /\x01 HTTP/1.1\r\n",
    "GET /\0 HTTP/1.1\r\n",
    "0GET / HTTP/1.1\r\n",
    "PRI * HTTP/2.0\r\n",
    "GET http://other.test/\r\n",
    `GET /${"x".repeat(LIMITS.maxFirstBytes)}`,
    "\r\n".repeat(LIMITS.maxFirstBytes / 2),
  ])("%j", (text) => {
    expect(read(text)).toEqual({ kind: "http" });
  });
});

test.each(["", "\r\n", "G", "GET", "GET /", "GET /\xe9", "GET /\0", "SSH-2.0-x y"])(
  "%j is not enough to tell",
  (text) => {
    expect(read(text)).toEqual({ kind: "incomplete" });
  },
);

describe("protocols that name no host pass", () => {
  test.each([
    ["Postgres", "\0\0\0\x54\0\x03\0\0user\0"],
    ["MySQL", "\x55\0\0\x01\x85\xa6"],
    ["Redis", "*1\r\n$4\r\nPING\r\n"],
    ["SMTP", "EHLO example.com\r\n"],
    ["SSH", "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"],
    ["git", "0032git-upload-pack /x.git\0host=example.com\0"],
    ["LDAP", "0\x0c\x02\x01\x01`\x07\x02\x01\x03\x04\0\x80\0"],
    ["AMQP", "AMQP\0\0\x09\x01"],
  ])("%s", (_protocol, text) => {
    expect(read(text)).toEqual({ kind: "other" });
  });
});

test("TLS that is no ClientHello, or has no end within the limit, names no host", () => {
  const record = (type: number, body: Buffer) =>
    Buffer.concat([Buffer.from([0x16, 3, 1, body.length >> 8, body.length & 255, type]), body.subarray(1)]);
  expect(readFirstBytes(record(2, Buffer.alloc(8)))).toEqual({ kind: "tls", host: null });
  const endless = Buffer.concat(Array(5).fill(record(1, Buffer.alloc(16_000, 255))));
  expect(readFirstBytes(endless)).toEqual({ kind: "tls", host: null });
  expect(readFirstBytes(endless.subarray(0, 100))).toEqual({ kind: "incomplete" });
});
