import fs from "node:fs";
import { entryOf, statOf } from "./file-stat.ts";
import { decodeName } from "./names.ts";
import { chunksOf, O_RDONLY, openFile, readBytes } from "./open-file.ts";
import { explaining } from "./os-error.ts";
import { atFound, atPlace, childPath, type Found, fdPath, openChildDirectory } from "./paths.ts";
import { existing, notADirectory, notAFile } from "./refusals.ts";
import { readNames, type TreeStep, tourTree } from "./tree.ts";
import { beneath, type View } from "./view.ts";
import type { FileStat, WorkspaceFS } from "./workspace-fs.ts";

type Reading = Pick<WorkspaceFS, "resolve" | "stat" | "read" | "stream" | "list" | "walk" | "readlink">;

export function readingOf(view: View): Reading {
  const { root, looking, guard } = view;

  const openToRead = (input: string): number =>
    atFound(root, input, (found, at) => {
      guard(at, "read");
      return openFile(found, at, O_RDONLY);
    });

  const inDirectory = <T>(action: string, input: string, work: (found: Found, at: string) => T): T =>
    looking(action, input, () =>
      atFound(root, input, (found, at) => {
        if (!found.stat.isDirectory()) throw notADirectory(action, at);
        guard(`${at}/`, "read");
        return work(found, at);
      }),
    );

  return {
    resolve(input) {
      return looking("find", input, () =>
        atPlace(root, input, {}, ({ path, found }) => ({ path, kind: found && statOf(found.stat).kind })),
      );
    },

    stat(input, { follow = true } = {}) {
      return looking("look at", input, () =>
        atPlace(root, input, { follow }, (place) => statOf(existing(place, "look at").stat)),
      );
    },

    read(input, options) {
      return looking("read", input, () => {
        const fd = openToRead(input);
        try {
          return readBytes(fd, input, options?.maxBytes);
        } finally {
          fs.closeSync(fd);
        }
      });
    },

    *stream(input) {
      const fd = looking("read", input, () => openToRead(input));
      try {
        yield* chunksOf(fd, input);
      } finally {
        fs.closeSync(fd);
      }
    },

    list(input, options) {
      return inDirectory("list", input, ({ fd }) => {
        const names = readNames(fd);
        const shown = names.slice(0, options?.limit ?? names.length);
        return { entries: shown.flatMap(({ name }) => entryOf(fd, name)), total: names.length };
      });
    },

    *walk(input, { enter = () => true } = {}) {
      const start = inDirectory("walk", input, ({ fd }, at) => ({ fd: openChildDirectory(fd, "."), at }));
      const pathOf = (trail: readonly string[]) => beneath(start.at, trail.join("/"));
      const enters = (trail: readonly string[]) => view.mayEnter(start.at, trail) && enter(pathOf(trail));
      const tour = tourTree(start.fd, { enters });
      try {
        for (;;) {
          const next = explaining("walk", input, () => tour.next());
          if (next.done) return;
          const path = pathOf(next.value.trail);
          const stat = () => explaining("look at", path, () => statAt(next.value));
          if (next.value.step !== "leave") yield { path, kind: next.value.kind, stat };
        }
      } finally {
        tour.return();
        fs.closeSync(start.fd);
      }
    },

    readlink(input) {
      return looking("read the link", input, () =>
        atPlace(root, input, { follow: false }, (place) => {
          const { stat } = existing(place, "read the link");
          if (!stat.isSymbolicLink()) throw notAFile("read the link", place.path, "it is no link");
          return decodeName(fs.readlinkSync(childPath(place.dir, place.name), "buffer"));
        }),
      );
    },
  };
}

function statAt({ step, dir, name }: TreeStep): FileStat {
  return statOf(step === "enter" ? fs.statSync(fdPath(dir)) : fs.lstatSync(childPath(dir, name)));
}
