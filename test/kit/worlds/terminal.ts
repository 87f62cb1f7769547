// A terminal with a person at it: waits for a text on the screen, then types, resizes or closes the window, or sends a signal. It
// answers the status question of programs as terminals do.
import { spawnSync } from "node:child_process";

export interface TerminalStep {
  /** A Python regular expression for the output since the step before. */
  readonly wait: string;
  readonly type?: string;
  readonly resize?: readonly [rows: number, columns: number];
  /** Closes the window. Nothing is shown from then on. */
  readonly close?: true;
  /** Sends a signal to the newest process of this terminal's line whose command line begins with a text. */
  readonly signal?: { readonly name: NodeJS.Signals; readonly to: string };
}

export interface TerminalRun {
  readonly shown: string;
  readonly status: number;
  /** Whether the terminal's settings are the same afterwards. */
  readonly isRestored: boolean;
  /** The wait that never ended; null if all did. */
  readonly missed: string | null;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a line of bash in a terminal of 30 rows and 100 columns. */
export function runInTerminal(
  line: string,
  steps: readonly TerminalStep[],
  options: TerminalOptions,
): TerminalRun {
  const ran = spawnSync("python3", ["-c", DRIVER, JSON.stringify({ line, steps })], {
    ...options,
    encoding: "utf8",
    timeout: 150_000,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (ran.status !== 0) throw new Error(`the driver of the terminal failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

const DRIVER = `
import fcntl, glob, json, os, pty, re, select, signal, struct, sys, termios, time
job = json.loads(sys.argv[1])
def size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
def started_here():
    parents = {}
    for name in glob.glob("/proc/[0-9]*/stat"):
        try: parents[int(name.split("/")[2])] = int(open(name).read().rpartition(")")[2].split()[1])
        except OSError: continue
    here = {pid}
    while more := {child for child, parent in parents.items() if parent in here} - here: here |= more
    return here
def newest(text):
    found = []
    for process in started_here():
        try: words = open(f"/proc/{process}/cmdline", "rb").read().replace(b"\\0", b" ").decode("utf8", "replace")
        except OSError: continue
        if words.startswith(text): found.append(process)
    return max(found, default=None)
def awaited(text):
    until = time.time() + 60
    while newest(text) is None and time.time() < until: time.sleep(0.01)
    return newest(text)
outer, terminal = pty.openpty()
size(outer, 30, 100)
before = termios.tcgetattr(terminal)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2): os.dup2(terminal, fd)
    os.closerange(3, 64)
    os.execvp("bash", ["bash", "-c", job["line"]])
shown, since, missed, steps = b"", 0, None, list(job["steps"])
deadline = time.time() + 60
status = None
while True:
    ready, _, _ = select.select([] if outer is None else [outer], [], [], 0.05)
    if ready:
        some = os.read(outer, 65536)
        shown += some
        for _ in range(some.count(b"\\x1b[5n")): os.write(outer, b"\\x1b[0n")
    elif status is not None: break
    while steps:
        found = re.search(steps[0]["wait"].encode(), shown[since:], re.S)
        if not found: break
        step = steps.pop(0)
        since += found.end()
        deadline = time.time() + 60
        if "resize" in step: size(outer, *step["resize"])
        if "type" in step: os.write(outer, step["type"].encode())
        if "close" in step: outer = os.close(outer)
        if "signal" in step: os.kill(awaited(step["signal"]["to"]), signal.Signals[step["signal"]["name"]])
    if status is None:
        ended, code = os.waitpid(pid, os.WNOHANG)
        if ended: status = os.waitstatus_to_exitcode(code)
    if time.time() > deadline:
        missed = steps[0]["wait"] if steps else "the end"
        os.kill(pid, signal.SIGKILL)
        break
after = None if outer is None else termios.tcgetattr(terminal)
print(json.dumps({
    "shown": shown.decode("utf8", "replace"),
    "status": -1 if status is None else status,
    "isRestored": before == after,
    "missed": missed or (steps[0]["wait"] if steps else None),
}))
`;
