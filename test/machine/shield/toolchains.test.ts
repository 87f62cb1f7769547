// The user's toolchains: visible to commands as on the user's own PATH, and nothing else of the home.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openCell } from "../../../src/cell.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");
/** Commands have their own /tmp. */
const PARENT = process.getuid!() === 0 ? "/var/lib" : os.homedir();

const FILES: Readonly<Record<string, string>> = {
  ".nvm/versions/node/v99.0.0/bin/node": "#!/bin/sh\necho node of nvm\n",
  ".nvm/versions/node/v99.0.0/lib/node_modules/npm/index.js": "",
  ".nvm/versions/node/v99.0.0/etc/npmrc": "secret",
  ".cargo/bin/cargo": '#!/bin/sh\necho "cargo with $RUSTUP_HOME"; cat "$RUSTUP_HOME/settings.toml"\n',
  ".cargo/credentials.toml": "secret",
  ".cargo/registry/x": "secret",
  ".rustup/settings.toml": "stable\n",
  ".local/share/app/2.0/bin/app": '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../data"\n',
  ".local/share/app/2.0/data": "data of app\n",
  ".local/share/keyrings/login": "secret",
  ".npmrc": "secret",
  ".ssh/id_ed25519": "secret",
  "bin/mine": "#!/bin/sh\necho mine\n",
};

function makeHome() {
  const top = tempDir(PARENT);
  const home = path.join(top, "home");
  for (const [name, content] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), content, { mode: name.includes("bin/") ? 0o755 : 0o644 });
  }
  fs.mkdirSync(path.join(home, ".local/bin"));
  fs.symlinkSync("../share/app/2.0/bin/app", path.join(home, ".local/bin/app"));
  const workspace = path.join(top, "ws");
  fs.mkdirSync(workspace);
  const inPath = [".local/bin", ".nvm/versions/node/v99.0.0/bin", ".cargo/bin", "bin"].map((at) =>
    path.join(home, at),
  );
  const env = {
    HOME: home,
    PATH: [...inPath, "/usr/bin", "/bin"].join(":"),
    HOTCELL_STATE_DIR: path.join(top, "state"),
  };
  return { top, home, workspace, env };
}

function hotcell(args: readonly string[], { workspace, env }: ReturnType<typeof makeHome>) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, ...args], {
    env,
    cwd: workspace,
    encoding: "utf8",
  });
  return { stdout, stderr, status };
}

const sayIn = (world: ReturnType<typeof makeHome>, command: string) =>
  hotcell(["exec", "--", "bash", "-c", command], world).stdout;

describe("in the command line", () => {
  test("commands run the user's programs, in the order of the user's PATH, with the files next to them", () => {
    const world = makeHome();
    expect(sayIn(world, "node; app; cargo; command -v mine; echo $PATH")).toBe(
      [
        "node of nvm",
        "data of app",
        `cargo with ${world.home}/.rustup`,
        "stable",
        `${[".local/bin", ".nvm/versions/node/v99.0.0/bin", ".cargo/bin"].map((at) => path.join(world.home, at)).join(":")}:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin`,
        "",
      ].join("\n"),
    );
  });

  test.each(["go", "sdk/go1.25.0", ".local/go"])(
    "go that is unpacked to ~/%s runs, with the files that it needs",
    (root) => {
      const world = makeHome();
      const files = {
        VERSION: "go1.25.0\n",
        "bin/go": '#!/bin/sh\ncat "${0%/bin/go}/VERSION" "${0%/bin/go}/src/fmt.go"\n',
        "src/fmt.go": "package fmt\n",
      };
      for (const [name, content] of Object.entries(files)) {
        const at = path.join(world.home, root, name);
        fs.mkdirSync(path.dirname(at), { recursive: true });
        fs.writeFileSync(at, content, { mode: 0o755 });
      }
      const env = { ...world.env, PATH: `${path.join(world.home, root, "bin")}:${world.env.PATH}` };
      expect(sayIn({ ...world, env }, "go")).toBe("go1.25.0\npackage fmt\n");
    },
  );

  test("they see nothing else of the home, and can't write there", () => {
    const world = makeHome();
    const secrets = Object.keys(FILES).filter((name) => FILES[name] === "secret");
    const tried = secrets.map((name) => `cat '${path.join(world.home, name)}'`).join("; ");
    expect(sayIn(world, tried)).toBe("");
    expect(spawnSync("bash", ["-c", tried], { encoding: "utf8" }).stdout).toBe(
      "secret".repeat(secrets.length),
    );
    const write = `echo x 2>/dev/null > ${world.home}/.cargo/bin/cargo || echo read-only`;
    expect(sayIn(world, write)).toBe("read-only\n");
  });

  test("doctor lists what is visible, and for the rest the line to add; with that line it is", () => {
    const world = makeHome();
    const { stdout } = hotcell(["doctor"], world);
    const mine = path.join(world.home, "bin");
    expect(stdout).toMatch(/\.nvm\/versions\/node\/v99\.0\.0\/bin +nvm\n/);
    expect(stdout).toMatch(/\/usr\/bin +system\n/);
    expect(stdout).toContain(
      `not visible to commands; add to hotcell/config.json: "toolchains": ["${mine}"]`,
    );
    fs.mkdirSync(path.join(world.home, ".config/hotcell"), { recursive: true });
    fs.writeFileSync(
      path.join(world.home, ".config/hotcell/config.json"),
      JSON.stringify({ toolchains: [mine] }),
    );
    expect(sayIn(world, "mine")).toBe("mine\n");
    expect(hotcell(["doctor"], world).stdout).toMatch(/home\/bin +toolchains\n/);
  });

  test("userToolchains: false in the user's configuration hides them", () => {
    const world = makeHome();
    fs.writeFileSync(path.join(world.top, "c.json"), '{ "userToolchains": false }');
    const env = { ...world.env, HOTCELL_CONFIG: path.join(world.top, "c.json") };
    expect(sayIn({ ...world, env }, "command -v app cargo; node -p 1")).toBe("1\n");
  });
});

test("in the library the option userToolchains shows them; without it commands have the system's", async () => {
  const { workspace, top, env } = makeHome();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const say = async (userToolchains: boolean) => {
    const cell = await openCell({ workspace, stateDir: path.join(top, "s"), userToolchains });
    const { output } = await cell.exec(["bash", "-c", "node -p 1"]).finally(cell.close);
    return output?.stdout;
  };
  expect([await say(true), await say(false)]).toEqual(["node of nvm\n", "1\n"]);
});

test("a toolchain that commands can't see is refused with the reason", async () => {
  const at = tempDir();
  await expect(openCell({ workspace: at, stateDir: tempDir(), toolchains: ["/tmp"] })).rejects.toThrow(
    'toolchains[0] is "/tmp"; allowed is a directory that commands can see, and commands have a /tmp of their own',
  );
});

/** What `cargo init` makes, for go. */
const GO_PROGRAM = [
  "printf 'module example.org/x\n' > go.mod",
  `printf 'package main\nimport "fmt"\nfunc main() { fmt.Println("Hello, world!") }\n' > main.go`,
  `printf 'package main\nimport "testing"\nfunc TestHello(t *testing.T) { main() }\n' > main_test.go`,
].join(" && ");

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
describe.each([
  ["cargo", "cargo init -q --name x . && cargo run -q", "Hello, world!\n"],
  ["go", `${GO_PROGRAM} && go run . && go test . | cut -c -2`, "Hello, world!\nok\n"],
])("%s", (program, script, said) => {
  test.runIf(has(program))("of this machine builds and runs a program", async () => {
    const root = path.join(tempDir(), "ws");
    fs.mkdirSync(root);
    const options = { stateDir: tempDir(), userToolchains: true, timeoutMs: 170_000 };
    const cell = await openCell({ workspace: root, ...options });
    onTestFinished(() => cell.close());
    const { output } = await cell.exec(["bash", "-c", script]);
    expect([output?.exit_code, output?.stdout, output?.stderr]).toEqual([0, said, output?.stderr]);
  });
});
