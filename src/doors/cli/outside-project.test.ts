// Programs that the command line starts outside a sandbox: a project may have planted one of the same name.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openCliWorld } from "../../../test/kit/worlds/cli-world.ts";
import { createNodeIo } from "./node-io.ts";

const explain = (host: string) => [
  ...["policy", "explain", "network", JSON.stringify({ host, port: 443 })],
  ...["--json", "--allow-network", "npm"],
];

/** A project and a directory of the user, each with an own program of that name. */
function openWorld(name: string, script: (host: string) => string) {
  const world = openCliWorld({ "node_modules/.bin/x": "", "bin/x": "" });
  const top = path.dirname(world.root);
  const put = (directory: string, host: string) => {
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, name), `#!/bin/sh\n${script(host)}\n`, { mode: 0o755 });
  };
  for (const planted of ["node_modules/.bin", "bin"]) put(path.join(world.root, planted), "planted.example");
  put(path.join(top, "node_modules/.bin"), "planted.example");
  put(path.join(top, "programs"), "user.example");
  fs.symlinkSync("project/bin", path.join(top, "link"));
  return { ...world, top };
}

describe("--allow-network npm", () => {
  const ask = async (entries: readonly string[], host: string, more: Record<string, string> = {}) => {
    const { run, top, stateDir } = openWorld(
      "npm",
      (said) => `echo "\${npm_config_registry-https://${said}/}"`,
    );
    const PATH = [...entries.map((at) => at.replace("TOP", top)), "/usr/bin:/bin"].join(":");
    const env = { HOTCELL_STATE_DIR: stateDir, HOME: top, PATH, ...more };
    const { code, out, err } = await run(explain(host), { env });
    return code === 2 ? err : JSON.parse(out).decision;
  };

  test.each([
    ["the project's node_modules/.bin, as npx does", "TOP/project/node_modules/.bin"],
    ["a directory of the project", "TOP/project/bin"],
    ["a link into the project", "TOP/link"],
    ["the node_modules/.bin of a directory around the project", "TOP/node_modules/.bin"],
  ])("asks no npm of %s", async (_, planted) => {
    expect(await ask([planted, "TOP/programs"], "user.example")).toBe("allow");
    expect(await ask([planted, "TOP/programs"], "planted.example")).toBe("deny");
  });

  test("asks the first npm on the PATH that is elsewhere", async () => {
    expect(await ask(["TOP/programs"], "user.example")).toBe("allow");
  });

  test("takes no registry of the project's .npmrc, which npx passes on as a variable", async () => {
    const variable = { npm_config_registry: "https://npmrc.example/" };
    expect(await ask(["TOP/programs"], "npmrc.example", variable)).toBe("allow");
    expect(await ask(["TOP/programs"], "npmrc.example", { ...variable, npm_command: "exec" })).toBe("deny");
  });
});

/** Each program writes a file that tells whose it is. */
const writesFile = (host: string) => `cat > "$MARKERS/${host}"`;
const markers = (top: string) => fs.readdirSync(top).filter((name) => name.endsWith(".example"));

test("the pager is the user's, not the project's", async () => {
  const { root, top } = openWorld("less", writesFile);
  vi.stubEnv("MARKERS", top);
  vi.stubEnv("PATH", `${root}/node_modules/.bin:${top}/programs:/usr/bin:/bin`);
  const wasTerminal = process.stdout.isTTY;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.stdout.isTTY = wasTerminal;
  });
  process.stdout.isTTY = true;
  await createNodeIo().page("a diff\n");
  expect(markers(top)).toEqual(["user.example"]);
  expect(fs.readFileSync(path.join(top, "user.example"), "utf8")).toBe("a diff\n");
});

test.each([
  ["node_modules/.bin", (root: string) => `${root}/node_modules/.bin`],
  ["a relative directory", () => "../project/bin"],
])("the compiler of a tool is the user's, not that of %s", async (_, planted) => {
  const { run, root, top } = openWorld("clang", writesFile);
  await run(["tool", "new", "x", "--lang", "c", "--dir", "../x"]);
  const PATH = `${planted(root)}:${top}/programs:/usr/bin:/bin`;
  await run(["tool", "build", "../x"], { env: { PATH, MARKERS: top } });
  expect(markers(top)).toEqual(["user.example"]);
});
