import fs from "node:fs";
import { osPath } from "../../fs/names.ts";
import { NONBLOCKING_FLAGS } from "./open-regular.ts";
import type { Directories } from "./scan-chunk.ts";

/** Changes into open directories and opens names there, which is faster than a path through a descriptor for each name. `descriptors` is the path prefix of the directories' numbers. */
export function createDirectories(descriptors: string): Directories {
  return {
    enter(dir) {
      try {
        process.chdir(`${descriptors}/${dir}`);
      } catch (error) {
        return () => {
          throw error;
        };
      }
      return openHere;
    },
    leave: () => process.chdir("/"),
  };
}

function openHere(name: string): number {
  return fs.openSync(osPath(name), NONBLOCKING_FLAGS);
}
