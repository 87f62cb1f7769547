// Machines, disks and projects on which a usual session is not possible: the session uses another strategy and says so, or
// it is refused with the next step. A separate process creates each session.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { directory } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const CHILD = path.join(import.meta.dirname, "../../kit/children/session-create.mjs");
const NOBODY = 65534;
const AS_NOBODY = IS_ROOT ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];

type Place = Pick<SessionWorld, "top" | "project" | "stateDir">;

/** Everything belongs to an ordinary user, as who the tests run or who root can be. */
function makePlace(): Place {
  const world = tempSessionWorld(new Map([["d", directory()]]));
  fs.chmodSync(world.top, 0o755);
  if (IS_ROOT) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, world.top]);
  return world;
}

/** What the child says that is begun by `before`. */
function create({ project, stateDir }: Place, before: readonly string[], strategy: string[] = []): unknown {
  const [command, ...args] = [...before, process.execPath, CHILD, project, stateDir, ...strategy];
  return JSON.parse(execFileSync(command!, args, { encoding: "utf8" }));
}

/** Runs a line of shell, then what follows. */
const after = (line: string, ...args: string[]) => ["sh", "-c", `${line} && exec "$@"`, "sh", ...args];

const NEW_FILE = { seen: ["d"], written: "d/new", committed: ["d/new"] };

test("a state directory that can't hold the layers of an overlay is refused, with where to put it instead", () => {
  const place = makePlace();
  const { top, stateDir } = place;
  for (const dir of ["upper", "work"]) fs.mkdirSync(`${top}/${dir}`);
  const layers = `lowerdir=${stateDir},upperdir=${top}/upper,workdir=${top}/work`;
  const options = IS_ROOT ? layers : `${layers},userxattr`;
  const unshare = ["unshare", "--mount", ...(IS_ROOT ? [] : ["--user", "--map-root-user"])];
  const answer = create(place, [...unshare, ...after(`mount -t overlay overlay -o ${options} ${stateDir}`)]);
  expect(answer).toMatch(
    /^WORKSPACE_UNUSABLE: Could not keep sessions in ".*": overlayfs cannot store changes on its file system\. Set HOTCELL_STATE_DIR to a directory on a local disk, or in a container to one on a volume or a tmpfs\./,
  );
  expect(fs.readdirSync(`${top}/upper/sessions`)).toEqual([]);
  expect(create(place, IS_ROOT ? AS_NOBODY : [])).toEqual({ strategy: "kernel", ...NEW_FILE });
});

test("where there are no user namespaces, an ordinary user gets the strategy clone, with a message", () => {
  const unshare = ["unshare", "--user", "--map-current-user", "--keep-caps"];
  const without = ["setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--bounding-set=-all"];
  const line = "echo 0 > /proc/sys/user/max_user_namespaces";
  expect(create(makePlace(), [...AS_NOBODY, ...unshare, ...after(line, ...without)])).toEqual({
    strategy: "clone",
    ...NEW_FILE,
  });
});

test.runIf(IS_ROOT)(
  "where root may not mount, as in most containers, it gets the strategy clone, with a message",
  () => {
    const without = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"];
    expect(create(makePlace(), without)).toEqual({ strategy: "clone", ...NEW_FILE });
  },
);

test.runIf(IS_ROOT).each([
  ["kernel", { written: expect.stringContaining('Could not write "d/new": permission denied') }],
  ["clone", { committed: expect.stringContaining('Could not commit "d/new": its directory is read-only') }],
])(
  "another user's project can be read with the strategy %s, and forbidden operations have clear errors",
  (strategy, refused) => {
    const place = makePlace();
    execFileSync("chown", ["-R", "0:0", place.project]);
    expect(create(place, AS_NOBODY, [strategy])).toMatchObject({ strategy, seen: ["d"], ...refused });
    expect(fs.readdirSync(place.project, { recursive: true })).toEqual(["d"]);
  },
);
