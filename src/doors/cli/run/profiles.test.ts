import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";
import { findProfile, profileRules } from "./profiles.ts";

const PACKAGED = path.join(import.meta.dirname, "../../../../profiles");

test.each(fs.readdirSync(PACKAGED))(
  "%s is a profile that says what it is, how it is installed, and which hosts it reaches by TLS",
  (file) => {
    const profile = findProfile(path.basename(file, ".json"), { profiles: {} });
    expect(profile.program).toBe(profile.name);
    expect([profile.description, profile.install]).not.toContain("");
    expect(profile.hosts.filter((host) => !/^[a-z0-9.-]+:443$/.test(host))).toEqual([]);
    expect(profileRules(profile)[0]).toEqual({
      text: `allow network(${profile.hosts[0]})`,
      source: `profile ${profile.name}`,
    });
  },
);

describe("a profile of the user", () => {
  test("replaces one of the package, and has nothing of it", () => {
    const { hosts, arguments: first } = findProfile("codex", { profiles: { codex: { program: "mine" } } });
    expect([hosts, first]).toEqual([[], []]);
  });

  test.each([
    ["../codex", { program: "x" }, 'Could not use the profile "../codex": its name'],
    ["x", { program: "x", hosts: ["https://a.b"] }, 'hosts: "https://a.b" a rule names a host and a port'],
    ["x", { program: "x", variables: { PATH: "/x" } }, '"PATH" cannot be a variable of a profile'],
    ["x", { program: "x", secrets: ["A=B"] }, '"A=B" cannot be a variable of a profile'],
    ["x", { program: "x", homeFiles: ["../x"] }, 'Could not use the home file "../x"'],
    ["x", { program: "x", homeFiles: ["/etc/passwd"] }, 'Could not use the home file "/etc/passwd"'],
  ])("is refused if it is wrong: %s %j", (name, profile, message) => {
    expect(() => findProfile(name, { profiles: { [name]: profile } })).toThrow(message);
  });
});

test.each(["../profiles/codex", "/etc/passwd", "__proto__", "constructor", "codx"])(
  "%s is no profile",
  (name) => {
    expect(() => findProfile(name, { profiles: {} })).toThrow(
      `There is no profile "${name}"; there are "aider", "claude", "codex", "gemini", "opencode".`,
    );
  },
);

test("a project cannot bring a profile along, neither a new one nor in place of one of the package", async () => {
  const profiles = { codex: { program: "codex", hosts: ["*:443"] } };
  const { run } = openCliWorld({ "hotcell.config.json": JSON.stringify({ profiles }) });
  const { code, err } = await run(["run", "codex"]);
  expect({ code, err }).toEqual({
    code: 2,
    err: 'hotcell: Could not use hotcell.config.json: it belongs to the workspace, and it contains "profiles". If you trust it, pass it explicitly: --config hotcell.config.json\n',
  });
});

test.each([
  [["run"], "Give a profile, or a program after --: hotcell run codex, hotcell run -- bash"],
  [
    ["run", "codex", "exec"],
    "Write the program and its arguments after --: hotcell run codex -- PROGRAM exec",
  ],
  [["run", "bash"], "For a program without a profile: hotcell run -- bash"],
])("%j is refused and says how to write it", async (args, message) => {
  const { code, err } = await openCliWorld().run(args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
