// What the machine lane needs beyond Node: installed when this user may, else the one line to run.
import { execFileSync, spawnSync } from "node:child_process";

const NEEDED = [
  {
    command: "cc",
    apt: "gcc libc6-dev",
    dnf: "gcc glibc-devel",
    pacman: "gcc",
    apk: "gcc musl-dev linux-headers",
  },
  { command: "strace", apt: "strace", dnf: "strace", pacman: "strace", apk: "strace" },
  { command: "git", apt: "git", dnf: "git", pacman: "git", apk: "git" },
  { command: "unshare", apt: "util-linux", dnf: "util-linux", pacman: "util-linux", apk: "util-linux" },
];
const MANAGERS = [
  { name: "apt", probe: "apt-get", install: "apt-get install -y", refresh: "apt-get update" },
  { name: "dnf", probe: "dnf", install: "dnf install -y" },
  { name: "pacman", probe: "pacman", install: "pacman -S --noconfirm", refresh: "pacman -Sy" },
  { name: "apk", probe: "apk", install: "apk add", refresh: "apk update" },
];

const has = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const missing = NEEDED.filter(({ command }) => !has(command));
if (missing.length > 0) install();

function install() {
  const names = missing.map(({ command }) => command).join(" and ");
  const manager = MANAGERS.find(({ probe }) => has(probe));
  if (manager === undefined) fail(`Install ${names}, then run this again.`);
  const packages = missing.map((need) => need[manager.name]).join(" ");
  const line = [manager.refresh, `${manager.install} ${packages}`].filter(Boolean).join(" && ");
  if (process.getuid?.() !== 0) fail(`The tests need ${names}. Run: sudo sh -c '${line}'`);
  console.error(`Installing ${names}: ${line}`);
  execFileSync("sh", ["-c", line], { stdio: ["ignore", process.stderr, "inherit"] });
  const still = NEEDED.filter(({ command }) => !has(command));
  if (still.length > 0) fail(`${line} did not bring ${still.map(({ command }) => command).join(" and ")}.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
