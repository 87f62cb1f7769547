// The minimum cost of a call with a log in Node: the same work by system calls alone, with two lines chained by hash, one
// before and one after. No rules, no check of the path. With an anchor, truncation of the log can be detected.
import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = fs.constants;

export function openFloor(project, stateDir, { anchored }) {
  fs.mkdirSync(stateDir, { recursive: true });
  const file = path.join(stateDir, "floor.jsonl");
  const append = openLog(file, anchored ? openAnchor(file) : { check() {}, note() {} });
  const operations = {
    read: ({ path: name }) => readFile(path.join(project, name)),
    write({ path: name, content }) {
      append.sync();
      return replaceFile(path.join(project, name), content);
    },
    list: ({ path: name }) => listDirectory(path.join(project, name)),
  };
  return async ({ name, args }) => {
    append({ kind: "tool.intent", tool: name, input: { path: args.path } });
    const output = operations[name.split(" ")[0]](args);
    append({ kind: "tool.exec", tool: name, input: { path: args.path }, sha256: output.sha256 });
    return output;
  };
}

function openLog(file, anchor) {
  const fd = fs.openSync(file, "a");
  let last = "";
  const append = (record) => {
    const line = JSON.stringify({ ...record, ts: new Date().toISOString(), last });
    const next = hash("sha256", line, "hex");
    anchor.check();
    fs.writeSync(fd, `${line}\n`);
    anchor.note({ last: next });
    last = next;
  };
  append.sync = () => fs.fdatasyncSync(fd);
  return append;
}

/** Checks before a line that the file still exists, and writes the head to a second file after it. */
function openAnchor(file) {
  const fd = fs.openSync(`${file}.anchor`, "w");
  const sector = Buffer.alloc(512, " ");
  return {
    check: () => fs.lstatSync(file),
    note(head) {
      sector.write(JSON.stringify(head));
      fs.writeSync(fd, sector, 0, sector.length, 0);
    },
  };
}

function readFile(at) {
  const fd = fs.openSync(at, O_RDONLY | O_NOFOLLOW);
  const bytes = Buffer.allocUnsafe(fs.fstatSync(fd).size);
  fs.readSync(fd, bytes, 0, bytes.length, 0);
  fs.closeSync(fd);
  return { content: bytes.toString(), sha256: hash("sha256", bytes, "hex") };
}

function replaceFile(at, content) {
  const fd = fs.openSync(`${at}.new`, O_WRONLY | O_CREAT | O_EXCL);
  fs.writeSync(fd, content);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(`${at}.new`, at);
  return { sha256: hash("sha256", content, "hex") };
}

function listDirectory(at) {
  const fd = fs.openSync(at, O_DIRECTORY | O_NOFOLLOW);
  const entries = fs.readdirSync(`/proc/self/fd/${fd}`).map((name) => {
    const { size, mtime } = fs.lstatSync(`/proc/self/fd/${fd}/${name}`);
    return { name, size, modified: mtime.toISOString() };
  });
  fs.closeSync(fd);
  return { entries };
}
