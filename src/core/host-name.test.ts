import { describe, expect, test } from "vitest";
import { formatHostPort, readHostName, readHostPort } from "./host-name.ts";

describe("host:port", () => {
  test.each([
    ["Example.COM.:443", { host: "example.com", port: 443 }],
    ["a_b.example:80", { host: "a_b.example", port: 80 }],
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["[0:0::1]:8080", { host: "::1", port: 8080 }],
  ])("%s is read", (text, pair) => {
    expect(readHostPort(text)).toEqual(pair);
    expect(readHostPort(formatHostPort(pair))).toEqual(pair);
  });

  test.each([
    "",
    "example.com",
    "example.com:",
    "example.com:0",
    "example.com:65536",
    "example.com:443/x",
    "http://example.com:443",
    "evil.example\0.allowed.example:443",
    "evil.example\n:443",
    "user@example.com:443",
    "*.example.com:443",
    "-a.example:443",
    `${"a".repeat(64)}.example:443`,
    `${"abcd.".repeat(60)}example:443`,
    "a..b:443",
    "::1:443",
    "[::1%lo]:443",
    "[::1:443",
    "127.1:80",
    "2130706433:80",
    "0x7f000001:80",
    "127.0.0.1.:80",
    "1.2.3.4.5:80",
  ])("%j is refused", (text) => {
    expect(readHostPort(text)).toBeNull();
  });
});

test("an IP address is no host name", () => {
  expect(["127.0.0.1", "[::1]", "::1", "0x7f.1"].map(readHostName)).toEqual([null, null, null, null]);
});
