import fs from "node:fs";
import { osPath } from "../../fs/names.ts";
import { NO_WAITING } from "./open-regular.ts";
import type { Directories } from "./scan-chunk.ts";

/** Goes into open directories, whose numbers have this before them, and opens names there: the way through a descriptor for each name takes longer. */
export function workInDirectories(descriptors: string): Directories {
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
  return fs.openSync(osPath(name), NO_WAITING);
}
