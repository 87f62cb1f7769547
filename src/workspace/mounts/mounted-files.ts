// Combines several mounts into one WorkspaceFS. It maps each path to its mount, and each result back to the full path.
import { HotcellError } from "../../core/errors.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { showName } from "../fs/names.ts";
import type { Mount } from "./mount.ts";
import type { NamedMountPath, Naming } from "./naming.ts";

export function mountedFiles(mounts: readonly Mount[], naming: Naming): WorkspaceFS {
  const find = (path: string) => {
    const spelled = naming.spell(path);
    const ref = naming.find(spelled);
    return spelled.endsWith("/") ? asDirectory(ref) : ref;
  };
  const named = (mount: Mount, path: string) => naming.name({ mount, path });

  /** Errors show the path that the caller used. */
  const at = <T>(path: string, work: (files: WorkspaceFS, inner: string, mount: Mount) => T): T => {
    const ref = find(path);
    try {
      return work(ref.mount.files, ref.path, ref.mount);
    } catch (error) {
      throw error instanceof HotcellError ? withMountPath(error, ref, naming) : error;
    }
  };
  const inOneMount = (
    from: string,
    to: string,
    work: (files: WorkspaceFS, from: string, to: string) => void,
  ) => {
    const target = find(to);
    at(from, (files, inner, mount) => {
      if (mount === target.mount) return work(files, inner, target.path);
      const message = `Could not use "${showName(to)}": it is in another mount than "${showName(from)}".`;
      throw new HotcellError("PATH_OUTSIDE_WORKSPACE", message);
    });
  };

  const [{ files: first }] = mounts as readonly [Mount, ...Mount[]];
  return {
    mode: first.mode,
    root: first.root,
    resolve: (path) =>
      at(path, (files, inner, mount) => {
        const found = files.resolve(inner);
        return { ...found, path: named(mount, found.path) };
      }),
    stat: (path, options) => at(path, (files, inner) => files.stat(inner, options)),
    read: (path, options) => at(path, (files, inner) => files.read(inner, options)),
    open: (path) =>
      at(path, (files, inner, mount) => {
        const file = files.open(inner);
        return { ...file, path: named(mount, file.path) };
      }),
    stream: (path) => at(path, (files, inner) => files.stream(inner)),
    list: (path, options) => at(path, (files, inner) => files.list(inner, options)),
    *walk(path, { enter, refused } = {}) {
      const { mount, path: inner } = find(path);
      const options = {
        ...(enter && { enter: (below: string) => enter(named(mount, below)) }),
        ...(refused && { refused: (below: string) => refused(named(mount, below)) }),
      };
      for (const entry of mount.files.walk(inner, options)) {
        yield { path: named(mount, entry.path), kind: entry.kind, stat: () => entry.stat() };
      }
    },
    async search(path, query, options) {
      const ref = find(path);
      try {
        const result = await ref.mount.files.search(ref.path, query, options);
        const matches = result.matches.map((match) => ({ ...match, path: named(ref.mount, match.path) }));
        return { ...result, matches };
      } catch (error) {
        throw error instanceof HotcellError ? withMountPath(error, ref, naming) : error;
      }
    },
    readlink: (path) => at(path, (files, inner) => files.readlink(inner)),
    write: (path, data, options) =>
      at(path, (files, inner, mount) => {
        const written = files.write(inner, data, options);
        return { ...written, path: named(mount, written.path) };
      }),
    append: (path, data) => at(path, (files, inner) => files.append(inner, data)),
    mkdir: (path) => at(path, (files, inner) => files.mkdir(inner)),
    remove: (path, options) => at(path, (files, inner) => files.remove(inner, options)),
    rename: (from, to) => inOneMount(from, to, (files, one, other) => files.rename(one, other)),
    copy: (from, to) => inOneMount(from, to, (files, one, other) => files.copy(one, other)),
    symlink: (target, path) => at(path, (files, inner) => files.symlink(target, inner)),
    chmod: (path, mode) => at(path, (files, inner) => files.chmod(inner, mode)),
    statEntry: (path) => at(path, (files, inner) => files.statEntry(inner)),
    listEntries: (path) => at(path, (files, inner) => files.listEntries(inner)),
    openHandle: (path, options) => at(path, (files, inner) => files.openHandle(inner, options)),
    link: (from, to) => inOneMount(from, to, (files, one, other) => files.link(one, other)),
    setTimes: (path, times) => at(path, (files, inner) => files.setTimes(inner, times)),
    guardedBy(check) {
      const guarded = new Map(
        mounts.map((mount) => {
          const files = mount.files.guardedBy((path, access) => check(named(mount, path), access));
          return [mount, { ...mount, files }];
        }),
      );
      return mountedFiles([...guarded.values()], {
        ...naming,
        find: (path) => {
          const ref = naming.find(path);
          return { ...ref, mount: guarded.get(ref.mount)! };
        },
      });
    },
    close() {
      for (const { files } of mounts) files.close();
    },
  };
}

/** A trailing slash means a directory: no file may be created by that name. */
function asDirectory(ref: NamedMountPath): NamedMountPath {
  return ref.path === "." || ref.path.endsWith("/") ? ref : { ...ref, path: `${ref.path}/` };
}

function withMountPath(error: HotcellError, ref: NamedMountPath, naming: Naming): HotcellError {
  const { code, details, cause, output } = error;
  const message = partsOf(ref.path)
    .reduce((text, path) => {
      const shown = `"${showName(naming.name({ ...ref, path }))}"`;
      const inner = path === "." ? ['""', '"."'] : [`"${showName(path)}"`];
      return inner.reduce((message, name) => message.replaceAll(name, shown), text);
    }, error.message)
    .replace("Use a path relative to the workspace.", "Use a path within its mount.");
  const mountDetails = { ...details, mount: `@${ref.mount.name}`, path: details.path ?? ref.path };
  return new HotcellError(code, message, mountDetails, { cause, ...(output && { output }) });
}

/** A path and the directories above it, the longest first. */
function partsOf(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, names.length - index).join("/"));
}
