// Path syntax for several mounts: maps a tool's path to a mount and the path inside it, and back.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { unshowName } from "../fs/names.ts";
import type { Mount } from "./mount.ts";

export interface NamedMountPath {
  readonly mount: Mount;
  /** Inside the mount. */
  readonly path: string;
}

export interface Naming {
  /** Converts a path as a caller may write it to the spelling that `find` takes. */
  spell(path: string): string;
  /** Throws when the path is in no mount. */
  find(path: string): NamedMountPath;
  /** The inverse of `find`. */
  name(ref: NamedMountPath): string;
}

/** The toolset `mounts`: every path begins with the name of a mount. */
export function mountPaths(mounts: readonly Mount[]): Naming {
  const byName = new Map(mounts.map((mount) => [`@${mount.name}`, mount]));
  return {
    spell: withSlashes,
    find(path) {
      const [first = "", ...names] = path.split("/");
      const mount = byName.get(first);
      if (mount === undefined) throw noMount(path, first, [...byName.keys()]);
      if (names.includes(".."))
        throw outside(path, `".." is not allowed in it; begin at the mount: @${mount.name}/…`);
      return { mount, path: names.filter((name) => name !== "").join("/") || "." };
    },
    name: nameOf,
  };
}

/** The toolset `studio`: a path of the project has no prefix; a path in the storage begins with its name, or is absolute. */
export function bareAndStoragePaths(project: Mount, storage: Mount | null, given: string): Naming {
  const heads =
    storage === null ? [] : [`@${storage.name}`, storage.files.root, given.replace(/(.)\/+$/, "$1")];
  return {
    spell: (path) => path,
    find(path) {
      const head = heads.find((one) => path === one || path.startsWith(`${one}/`));
      if (storage === null || head === undefined) return { mount: project, path };
      return { mount: storage, path: path.slice(head.length).replace(/^\/+/, "") || "." };
    },
    name(ref) {
      if (ref.mount.name !== project.name) return nameOf(ref);
      const [first = ""] = ref.path.split("/");
      return heads.includes(first) ? `./${ref.path}` : ref.path;
    },
  };
}

/** Backslashes become slashes, except in a shown name with odd bytes (`\xNN`). */
function withSlashes(path: string): string {
  const names = path
    .split("/")
    .map((name) => (unshowName(name) === null ? name.replaceAll("\\", "/") : name));
  return names.join("/").replace(/^(?:\.?\/)+(?=@)/, "");
}

function nameOf({ mount, path }: NamedMountPath): string {
  return path === "" || path === "." ? `@${mount.name}` : `@${mount.name}/${path}`;
}

function noMount(path: string, first: string, names: readonly string[]): HotcellError {
  const known = `the mounts are ${names.join(", ")}`;
  if (path.startsWith("/"))
    return outside(path, `it is absolute, but a path must begin with a mount: ${known}`);
  if (first.startsWith("@")) return outside(path, `there is no mount ${quote(first)}; ${known}`);
  return outside(path, `a path must begin with a mount: ${known}`);
}

function outside(path: string, reason: string): HotcellError {
  const message = `Could not use the path ${quote(path)}: ${reason}.`;
  return new HotcellError("PATH_OUTSIDE_WORKSPACE", message, { path, reason });
}
