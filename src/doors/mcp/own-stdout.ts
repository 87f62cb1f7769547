import { Writable } from "node:stream";

export interface OwnStdout {
  /** The only way to standard output. */
  readonly output: Writable;
  restore(): void;
}

/** Reserves standard output for one writer. Whatever else this process prints goes to standard error. */
export function takeStdout(): OwnStdout {
  const { stdout, stderr } = process;
  const printed = stdout.write;
  const write = printed.bind(stdout);
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, done),
  });
  // A client that has left closes the pipe. `output` reports that too.
  const ignore = () => {};
  stdout.on("error", ignore);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return {
    output,
    restore() {
      stdout.write = printed;
      stdout.off("error", ignore);
    },
  };
}
