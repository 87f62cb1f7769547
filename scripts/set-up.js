// Installs the programs that hotcell and its tests need beyond Node, or prints the command to run if this user may not.
// With --product only those that hotcell itself needs. Then a missing program is not an error here: hotcell reports it.
// With --soak also those of the soak lane.
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
  {
    // The compiler of wasm tools in C.
    by: "tests",
    commands: ["clang", "wasm-ld"],
    apt: "clang lld wasi-libc libclang-rt-dev-wasm32",
    dnf: "clang lld wasi-libc-static compiler-rt",
    pacman: "clang lld wasi-libc wasi-compiler-rt",
    apk: "clang lld wasi-libc wasi-compiler-rt",
  },
  { by: "tests", commands: ["strace"], ...same("strace") },
  { by: "tests", commands: ["git"], ...same("git") },
  { by: "tests", commands: ["make"], ...same("make") },
  // The attacks of the corpus use these.
  { by: "tests", commands: ["python3"], ...same("python3"), pacman: "python" },
  {
    by: "tests",
    commands: ["/usr/bin/python3 -m ensurepip --version"],
    ...same("python3"),
    apt: "python3-venv",
  },
  { by: "tests", commands: ["socat"], ...same("socat") },
  { by: "tests", commands: ["ip"], ...same("iproute2"), dnf: "iproute" },
  { by: "tests", commands: ["curl"], ...same("curl") },
  { by: "tests", commands: ["wget"], ...same("wget") },
  // The search engine of web_search. Its tests use the paths of Debian's package.
  { by: "tests", commands: ["searx-run"], ...same("searx") },
  { by: "tests", commands: ["tmux"], ...same("tmux") },
  { by: "tests", commands: ["less"], ...same("less") },
  { by: "tests", commands: ["htop"], ...same("htop") },
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
  { by: "tests", commands: ["openssl"], ...same("openssl") },
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
/** A program, or a command line that must succeed. */
const has = (command) =>
  spawnSync("sh", ["-c", command.includes(" ") ? command : `command -v ${command}`]).status === 0;
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

/** Returns the command that the user has to run, or null. */
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
