// A real tree of npm packages, as a git repository: created once in the user's cache directory and never changed.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { createProtection } from "../dist/policy/protected.js";
import { cacheDir } from "./cache-dir.js";

const PACKAGES = {
  "@aws-sdk/client-s3": "3.917.0",
  "@mui/material": "7.3.4",
  antd: "5.28.0",
  "core-js": "3.46.0",
  "date-fns": "4.1.0",
  eslint: "9.38.0",
  express: "5.1.0",
  firebase: "12.4.0",
  jest: "30.2.0",
  lodash: "4.17.21",
  "lodash-es": "4.17.21",
  next: "16.0.1",
  rxjs: "7.8.2",
  three: "0.180.0",
  typescript: "5.9.3",
  webpack: "5.102.1",
};
const LEAST_FILES = 60_000;
const SOURCE = /\.(c?js|mjs|ts|css|md)$/;
const MAX_SOURCE_BYTES = 64 * 1024;
const GIT_ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "bench",
  GIT_AUTHOR_EMAIL: "bench@localhost",
  GIT_COMMITTER_NAME: "bench",
  GIT_COMMITTER_EMAIL: "bench@localhost",
};

export const protectionOf = createProtection();

/** { dir, home, fileCount, sources }: `home` is on the same disk, `sources` are paths of text files, those of one package together. */
export function openTree() {
  const home = cacheDir();
  const key = createHash("sha256").update(JSON.stringify(PACKAGES)).digest("hex").slice(0, 8);
  const dir = path.join(home, `packages-${key}`);
  if (!fs.existsSync(dir)) makeTree(dir);
  const files = git(dir, "ls-files", "-z").toString().split("\0").slice(0, -1);
  const sources = files.filter((file) => SOURCE.test(file) && protectionOf(file) === null);
  const isSmall = (file) => fs.lstatSync(path.join(dir, file)).size <= MAX_SOURCE_BYTES;
  return { dir, home, fileCount: files.length, sources: sources.filter(isSmall) };
}

/** So many of them, evenly spread. */
export function spread(files, count) {
  return Array.from({ length: count }, (_, at) => files[Math.floor((at * files.length) / count)]);
}

export function git(dir, ...args) {
  const options = {
    cwd: dir,
    env: GIT_ENVIRONMENT,
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "inherit"],
  };
  return execFileSync("git", ["-c", "gc.auto=0", ...args], options);
}

function makeTree(dir) {
  process.stderr.write("Making the tree of packages; this is done once and takes some minutes.\n");
  const made = `${dir}.new`;
  fs.rmSync(made, { recursive: true, force: true });
  fs.mkdirSync(made, { recursive: true });
  fs.writeFileSync(
    path.join(made, "package.json"),
    JSON.stringify({ private: true, dependencies: PACKAGES }),
  );
  const flags = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags], { cwd: made, stdio: ["ignore", "ignore", "inherit"] });
  git(made, "init", "--quiet");
  git(made, "add", "--all", "--force");
  git(made, "commit", "--quiet", "--message", "packages");
  git(made, "gc", "--quiet");
  const count = git(made, "ls-files").toString().split("\n").length - 1;
  if (count < LEAST_FILES) throw new Error(`The packages have ${count} files; ${LEAST_FILES} are needed.`);
  fs.renameSync(made, dir);
}
