import { describe, expect, test } from "vitest";
import { seatbeltProfile } from "./seatbelt.ts";

const PLAN = {
  project: "/Users/me/src/app",
  home: "/private/var/cells/1/home",
  tmp: "/private/var/cells/1/tmp",
  readable: ["/opt/homebrew"],
};

const GOLDEN = `(version 1)
(deny default)
(deny process-info* file-map-executable iokit-get-properties nvram*)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)

(allow process-exec file-map-executable
  (subpath "/bin")
  (subpath "/sbin")
  (subpath "/usr")
  (subpath "/System")
  (subpath "/Library/Developer/CommandLineTools")
  (subpath "/private/etc/ssl")
  (subpath "/private/var/db/timezone")
  (subpath "/opt/homebrew")
  (subpath "/Users/me/src/app")
  (subpath "/private/var/cells/1/home")
  (subpath "/private/var/cells/1/tmp"))

(allow file-read*
  (subpath "/bin")
  (subpath "/sbin")
  (subpath "/usr")
  (subpath "/System")
  (subpath "/Library/Developer/CommandLineTools")
  (subpath "/private/etc/ssl")
  (subpath "/private/var/db/timezone")
  (subpath "/opt/homebrew")
  (subpath "/Users/me/src/app")
  (subpath "/private/var/cells/1/home")
  (subpath "/private/var/cells/1/tmp")
  (literal "/private/etc/hosts")
  (literal "/private/etc/passwd")
  (literal "/private/etc/group")
  (literal "/private/etc/localtime")
  (literal "/private/etc/protocols")
  (literal "/private/etc/services")
  (literal "/private/etc/shells")
  (literal "/private/etc/bashrc")
  (literal "/private/etc/profile")
  (literal "/private/etc/zshenv")
  (literal "/private/etc/zshrc")
  (literal "/private/etc/zprofile")
  (literal "/private/etc/paths")
  (literal "/"))

(allow file-read-metadata
  (literal "/etc")
  (literal "/tmp")
  (literal "/var")
  (literal "/Library")
  (literal "/Library/Developer")
  (literal "/Users")
  (literal "/Users/me")
  (literal "/Users/me/src")
  (literal "/opt")
  (literal "/private")
  (literal "/private/etc")
  (literal "/private/var")
  (literal "/private/var/cells")
  (literal "/private/var/cells/1")
  (literal "/private/var/db"))

(allow file-write*
  (subpath "/Users/me/src/app")
  (subpath "/private/var/cells/1/home")
  (subpath "/private/var/cells/1/tmp"))

(allow file-read* file-write-data
  (literal "/dev/null")
  (literal "/dev/zero"))
(allow file-read*
  (literal "/dev/random")
  (literal "/dev/urandom")
  (subpath "/dev/fd"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/dtracehelper"))

(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.notification_center"))
(allow ipc-posix-shm-read-data
  (ipc-posix-name "apple.shm.notification_center"))

(deny file-write-setugid)
(deny network*)
`;

describe("the Seatbelt profile", () => {
  test("is this text", () => {
    expect(seatbeltProfile(PLAN)).toBe(GOLDEN);
  });

  test("denies by default first, and the network last", () => {
    const rules = parse(seatbeltProfile(PLAN));
    expect([rules[1], rules.at(-1)]).toEqual([
      ["deny", "default"],
      ["deny", "network*"],
    ]);
  });

  test("lets only the project, the home and the temporary directory be changed", () => {
    const writing = parse(seatbeltProfile(PLAN)).filter(
      (rule) => rule[0] === "allow" && rule[1] === "file-write*",
    );
    expect(writing).toEqual([
      ["allow", "file-write*", ["subpath", PLAN.project], ["subpath", PLAN.home], ["subpath", PLAN.tmp]],
    ]);
  });

  test("neither shows nor lists what is beside the project", () => {
    const rules = parse(seatbeltProfile(PLAN)).filter((rule) => rule[1] === "file-read*");
    expect(rules.flat()).not.toContainEqual(["subpath", "/Users/me"]);
    expect(rules.flat()).not.toContainEqual(["literal", "/Users/me/src"]);
  });

  test.each([
    ["a quote", '/Users/me/a"b'],
    [
      "a quote and what would be a rule",
      '/Users/me/x")) (allow default) (allow network* (subpath "/'.slice(0, -1),
    ],
    ["a backslash at its end", "/Users/me/a\\"],
    ["a backslash before a quote", '/Users/me/a\\"b'],
    ["a newline", "/Users/me/a\n(allow default)"],
    ["a tab and a return", "/Users/me/a\tb\rc"],
    ["a semicolon, which begins a comment", "/Users/me/a;b"],
    ["brackets", "/Users/me/a(b))"],
    ["a space and letters of other scripts", "/Users/me/ä ö/日本"],
  ])("keeps a path with %s one string", (_, project) => {
    const plain = parse(seatbeltProfile({ ...PLAN, project: "/Users/me/plain" }));
    const odd = parse(seatbeltProfile({ ...PLAN, project }));
    const parents = (rule: unknown) => Array.isArray(rule) && rule[1] === "file-read-metadata";
    const swapped = JSON.stringify(plain.filter((rule) => !parents(rule))).replaceAll(
      '"/Users/me/plain"',
      () => JSON.stringify(project),
    );
    expect(odd.filter((rule) => !parents(rule))).toEqual(JSON.parse(swapped));
  });

  test.each(["relative", "", "/a/../b", "/a/", "/a//b", "~/x", "/a\0b"])("refuses the path %j", (project) => {
    expect(() => seatbeltProfile({ ...PLAN, project })).toThrow(
      expect.objectContaining({ code: "WORKSPACE_UNUSABLE" }),
    );
  });
});

type Expression = string | Expression[];

/** Reads the profile as Scheme reads it: brackets in balance, strings with their escapes. */
function parse(profile: string): Expression[][] {
  const stack: Expression[][] = [[]];
  for (const [token] of profile.matchAll(/[()]|"(?:[^"\\]|\\[\s\S])*"|[^\s()"]+|["]/g)) {
    if (token === "(") stack.push([]);
    else if (token === ")") {
      const done = stack.pop()!;
      stack.at(-1)!.push(done);
    } else stack.at(-1)!.push(token.startsWith('"') ? (JSON.parse(token) as string) : token);
  }
  expect(stack.length).toBe(1);
  return stack[0] as Expression[][];
}
