import { describe, expect, test } from "vitest";
import { isPrivateIP } from "./addresses.ts";

describe("003 IsPrivateIP", () => {
  test.each([
    [
      "127.0.0.1",
      "169.254.169.254",
      "10.0.0.1",
      "192.168.1.1",
      "172.31.255.255",
      "0.0.0.0",
      "255.255.255.255",
    ],
    [
      "::",
      "::1",
      "fe80::1",
      "fd00:ec2::254",
      "ff02::1",
      "fe80::1%eth0",
      "2001:db8::1",
      "2002:7f00:1::",
      "4000::1",
    ],
    [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:0:0",
      "::127.0.0.1",
      "64:ff9b::7f00:1",
      "64:ff9b::",
      "64:ff9b:1::808:808",
    ],
    ["", "localhost", "127.1", "2130706433", "[::1]", "8.8.8.8 "],
  ])("%s and the like are private", (...addresses) => {
    expect(addresses.filter((address) => !isPrivateIP(address))).toEqual([]);
  });

  test("RFC 1918, RFC 3927, loopback and their neighbours: the edges of the ranges", () => {
    const neighbours = [
      "9.255.255.255",
      "11.0.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "169.253.255.255",
      "128.0.0.0",
    ];
    const others = [
      "8.8.8.8",
      "2606:4700:4700::1111",
      "2003::1",
      "::ffff:8.8.8.8",
      "::ffff:808:808",
      "64:ff9b::808:808",
    ];
    expect([...neighbours, ...others].filter(isPrivateIP)).toEqual([]);
  });
});
