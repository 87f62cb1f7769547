import fs from "node:fs";
import { decodeName } from "../fs/names.ts";
import { chunksOf, openToRead, readBytes } from "../fs/open-file.ts";
import { explainErrors } from "../fs/os-error.ts";
import { isTooDeep, joinPath } from "../fs/path-text.ts";
import {
  atExistingEntry,
  atResolvedPath,
  childPath,
  type OpenEntry,
  openChildDirectory,
  statInOneCall,
} from "../fs/paths.ts";
import { type NamesIn, readNamesForTool, type TreeStep, walkTree } from "../fs/tree.ts";
import { entryOf, statOf } from "./file-stat.ts";
import { notADirectory, notAFile, requireExisting } from "./refusals.ts";
import type { View } from "./view.ts";
import type { FileStat, WorkspaceFS } from "./workspace-fs.ts";

type ReadOperations = Pick<
  WorkspaceFS,
  "resolve" | "stat" | "read" | "open" | "stream" | "list" | "walk" | "readlink"
>;

/** `namesIn` may have a directory's names from an earlier walk. */
export function createReadOperations(view: View, namesIn: NamesIn): ReadOperations {
  const { root, runRead, guard } = view;

  const mayRead = (at: string): void => guard(at, "read");

  const inDirectory = <T>(action: string, input: string, work: (found: OpenEntry, at: string) => T): T =>
    runRead(action, input, () =>
      atExistingEntry(root, input, (found, at) => {
        if (!found.stat.isDirectory()) throw notADirectory(action, at);
        guard(`${at}/`, "read");
        return work(found, at);
      }),
    );

  return {
    resolve(input) {
      return runRead("find", input, () => {
        const seen = statInOneCall(root, input);
        if (seen !== null) return { path: seen.path, kind: statOf(seen.stat).kind };
        return atResolvedPath(root, input, {}, ({ path, found }) => ({
          path,
          kind: found && statOf(found.stat).kind,
        }));
      });
    },

    stat(input, { follow = true } = {}) {
      return runRead("read the attributes of", input, () => {
        const seen = statInOneCall(root, input);
        if (seen !== null) return statOf(seen.stat);
        return atResolvedPath(root, input, { follow }, (place) =>
          statOf(requireExisting(place, "read the attributes of").stat),
        );
      });
    },

    read(input, options) {
      return runRead("read", input, () => {
        const file = openToRead(root, input, mayRead);
        try {
          return readBytes(file.fd, input, options?.maxBytes, file);
        } finally {
          fs.closeSync(file.fd);
        }
      });
    },

    open(input) {
      return runRead("read", input, () => {
        const file = openToRead(root, input, mayRead);
        const { fd, path, size } = file;
        return { path, size, chunks: () => chunksOf(fd, path, file), close: () => fs.closeSync(fd) };
      });
    },

    *stream(input) {
      const fd = runRead("read", input, () => openToRead(root, input, mayRead).fd);
      try {
        yield* chunksOf(fd, input);
      } finally {
        fs.closeSync(fd);
      }
    },

    list(input, options) {
      return inDirectory("list", input, ({ fd }) => {
        const names = readNamesForTool(fd);
        const shown = names.slice(0, options?.limit ?? names.length);
        return { entries: shown.flatMap(({ name }) => entryOf(fd, name)), total: names.length };
      });
    },

    *walk(input, { enter, refused } = {}) {
      const start = inDirectory("walk", input, ({ fd }, at) => ({ fd: openChildDirectory(fd, "."), at }));
      // The path of each directory on the trail. Each entry's path is a new string on top of it, which V8 joins
      // only if it is read.
      const paths = [start.at];
      const pathOf = (name: string) => joinPath(paths.at(-1)!, name);
      const enters = (trail: readonly string[]) => {
        const path = pathOf(trail.at(-1)!);
        if (enter?.(path) === false) return false;
        const may = !isTooDeep(path) && view.mayEnter(start.at, trail);
        if (!may) refused?.(path);
        return may;
      };
      const unreadable = (trail: readonly string[]) => refused?.(joinPath(start.at, trail.join("/")));
      const tour = walkTree(start.fd, { enters, namesIn, ...(refused && { unreadable }) });
      try {
        for (;;) {
          const next = explainErrors("walk", input, () => tour.next());
          if (next.done) return;
          const { step, name, kind, stat } = next.value;
          if (step === "leave") {
            paths.pop();
            continue;
          }
          const path = pathOf(name);
          yield {
            path,
            kind,
            stat: () => explainErrors("read the attributes of", path, () => statAt(next.value)),
          };
          if (stat === undefined) continue;
          paths.push(pathOf(name));
          view.entered(paths.at(-1)!, stat);
        }
      } finally {
        tour.return();
        fs.closeSync(start.fd);
      }
    },

    readlink(input) {
      return runRead("read the link", input, () =>
        atResolvedPath(root, input, { follow: false }, (place) => {
          const { stat } = requireExisting(place, "read the link");
          if (!stat.isSymbolicLink()) throw notAFile("read the link", place.path, "it is no link");
          return decodeName(fs.readlinkSync(childPath(place.dir, place.name), "buffer"));
        }),
      );
    },
  };
}

function statAt({ dir, name, stat }: TreeStep): FileStat {
  return statOf(stat ?? fs.lstatSync(childPath(dir, name)));
}
