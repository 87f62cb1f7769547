// What is needed beyond Node: installed when this user may, else the one line to run.
// With --product only what hotcell itself needs; then nothing stops here, hotcell says itself what it can't do.
// With --soak also what only the soak lane needs.
import { execFileSync, spawnSync } from "node:child_process";

const same = (name) => ({ apt: name, dnf: name, pacman: name, apk: name });
const NEEDED = [
  { by: "product", commands: ["bwrap"], ...same("bubblewrap") },
  { by: "product", commands: ["unshare", "nsenter", "prlimit", "setpriv"], ...same("util-linux") },
  { by: "product", commands: ["perl"], ...same("perl") },
  {
    by: "tests",
    commands: ["cc"],
    apt: "gcc libc6-dev",
    dnf: "gcc glibc-devel",
    pacman: "gcc",
    apk: "gcc musl-dev linux-headers",
  },
  { by: "tests", commands: ["strace"], ...same("strace") },
  { by: "tests", commands: ["git"], ...same("git") },
  { by: "tests", commands: ["make"], ...same("make") },
  // What the attacks of the corpus are written with.
  { by: "tests", commands: ["python3"], ...same("python3"), pacman: "python" },
  { by: "tests", commands: ["socat"], ...same("socat") },
  { by: "tests", commands: ["curl"], ...same("curl") },
  { by: "tests", commands: ["vim"], ...same("vim"), dnf: "vim-enhanced" },
  {
    by: "tests",
    commands: ["pgrep", "pkill"],
    apt: "procps",
    dnf: "procps-ng",
    pacman: "procps-ng",
    apk: "procps",
  },
  {
    by: "tests",
    commands: ["ssh"],
    apt: "openssh-client",
    dnf: "openssh-clients",
    pacman: "openssh",
    apk: "openssh-client",
  },
  { by: "soak", commands: ["mkfs.btrfs"], ...same("btrfs-progs") },
  { by: "soak", commands: ["mkfs.xfs"], ...same("xfsprogs") },
];
const MANAGERS = [
  { name: "apt", probe: "apt-get", install: "apt-get install -y", refresh: "apt-get update" },
  { name: "dnf", probe: "dnf", install: "dnf install -y" },
  { name: "pacman", probe: "pacman", install: "pacman -S --noconfirm", refresh: "pacman -Sy" },
  { name: "apk", probe: "apk", install: "apk add", refresh: "apk update" },
];

const forProduct = process.argv.includes("--product");
const has = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const forSoak = process.argv.includes("--soak");
const isWanted = ({ by }) => by === "product" || (by === "soak" ? forSoak : !forProduct);
const findMissing = () => NEEDED.filter((need) => isWanted(need) && !need.commands.every(has));
const namesOf = (needs) =>
  needs.flatMap(({ commands }) => commands.filter((command) => !has(command))).join(", ");

const missing = findMissing();
const problem = missing.length === 0 || process.platform !== "linux" ? null : install();
if (problem !== null) {
  console.error(problem);
  if (!forProduct) process.exit(1);
}

/** Gives what is left to be done by hand, or null. */
function install() {
  const names = namesOf(missing);
  const who = forProduct ? "To run commands, hotcell needs" : "The tests need";
  const manager = MANAGERS.find(({ probe }) => has(probe));
  if (manager === undefined) return `${who} ${names}. Install that, then run this again.`;
  const packages = missing.map((need) => need[manager.name]).join(" ");
  const line = [manager.refresh, `${manager.install} ${packages}`].filter(Boolean).join(" && ");
  if (process.getuid() !== 0) return `${who} ${names}. Run: sudo sh -c '${line}'`;
  console.error(`Installing ${names}: ${line}`);
  try {
    execFileSync("sh", ["-c", line], { stdio: ["ignore", process.stderr, "inherit"] });
  } catch {
    return `${who} ${names}, and installing it failed. Run: ${line}`;
  }
  const still = findMissing();
  return still.length === 0 ? null : `${line} did not bring ${namesOf(still)}.`;
}
