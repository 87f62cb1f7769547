// A guest's files over messages, with what is read ahead and written behind.
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../../test/kit/assert-property.ts";
import { openHostFixture } from "../../../../test/kit/worlds/wasi-guest.ts";

const [CREATE, TRUNCATE] = [1, 8];
const ALL = (1n << 29n) - 1n;
type Guest = ReturnType<typeof openHostFixture>;

/** Two descriptors of one file, and one of another. */
const openAll = (guest: Guest) =>
  ["f", "f", "g"].map((name) => guest.open(name, { flags: CREATE, rights: ALL }) as number);
const contents = ({ root }: Guest) =>
  fs.readdirSync(root).map((name) => [name, fs.readFileSync(path.join(root, name), "utf8")]);

interface Step {
  readonly kind: string;
  readonly file: number;
  readonly length: number;
  readonly offset: number;
}

function take({ kind, file, length, offset }: Step, guest: Guest, fds: readonly number[]): unknown {
  const fd = fds[file]!;
  const text = String.fromCharCode(97 + (offset % 26)).repeat(length);
  const steps: Record<string, () => unknown> = {
    read: () => guest.read(fd, length),
    write: () => guest.write(fd, text),
    pread: () => guest.pread(fd, length, BigInt(offset)),
    pwrite: () => guest.pwrite(fd, text, BigInt(offset)),
    seek: () => guest.seek(fd, BigInt(offset), 0),
    size: () => guest.call("fd_filestat_set_size", fd, BigInt(length)),
    truncate: () => guest.call("fd_close", guest.open("f", { flags: TRUNCATE, rights: ALL }) as number),
    stat: () => (guest.stat("f") as { size: bigint }).size,
    rename: () => [guest.move("path_rename", "g", "h"), guest.move("path_rename", "h", "g")],
    list: () => guest.entries(3, 4096).map(({ name }) => name),
  };
  return steps[kind]!();
}

const KINDS = ["write", "pwrite", "seek", "size", "truncate", "stat", "rename", "list"];
const STEP = fc.record({
  // Most reads are of what was read ahead before.
  kind: fc.oneof(fc.constantFrom("read", "pread"), fc.constantFrom(...KINDS)),
  file: fc.nat(2),
  length: fc.oneof(fc.nat(20), fc.nat(40_000)),
  offset: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(150_000) }),
});

test("any row of calls gives what it gives without messages, and leaves the same files", () => {
  assertProperty(
    fc.property(fc.array(STEP, { minLength: 5, maxLength: 60 }), (steps) => {
      const guests = [true, false].map((isDirect) => openHostFixture({ isDirect })) as [Guest, Guest];
      const [direct, remote] = guests.map((guest) => {
        const fds = openAll(guest);
        const results = steps.map((step) => take(step, guest, fds));
        guest.flush();
        return { results, contents: contents(guest) };
      });
      expect(remote).toEqual(direct);
    }),
    { numRuns: 50 },
  );
});

test.each<[string, string, (guest: Guest, fd: number) => unknown]>([
  [
    "a write that has reached the project",
    "NEW",
    (guest, fd) => [guest.pwrite(fd, "NEW", 0n), guest.stat("f")],
  ],
  ["a new size", "o", (guest, fd) => guest.call("fd_filestat_set_size", fd, 1n)],
  ["an open that truncates", "", (guest) => guest.open("f", { flags: TRUNCATE, rights: ALL })],
])("after %s, nothing that was read ahead before is read", (_change, now, change) => {
  const guest = openHostFixture();
  fs.writeFileSync(path.join(guest.root, "f"), "old content");
  const fd = guest.open("f", { rights: ALL }) as number;
  expect(guest.pread(fd, 3, 0n)).toBe("old");
  change(guest, fd);
  expect(guest.pread(fd, 3, 0n)).toBe(now);
});

test("writes in order wait in the guest's process, and reach the project before any other operation", () => {
  const guest = openHostFixture();
  const fd = guest.open("f", { flags: CREATE, rights: ALL }) as number;
  for (const text of ["a", "b", "c"]) expect(guest.write(fd, text)).toBe(1);
  expect(contents(guest)).toEqual([["f", "a"]]);
  expect(guest.stat("no")).toBe("ENOENT");
  expect(contents(guest)).toEqual([["f", "abc"]]);
});
