// What a tool's module may import, and must export.
import type { ModuleContract } from "./inspect.ts";
import { formatType } from "./sections.ts";

/** The types of parameters: a letter each. All functions return an errno but proc_exit. */
const LETTERS: Readonly<Record<string, string>> = { i: "i32", I: "i64" };

const typeOf = (params: string, result = "i32"): string =>
  formatType(
    Array.from(params, (letter) => LETTERS[letter]!),
    result === "" ? [] : [result],
  );

/** WASI preview1 without sockets and signals. A shutdown of a socket can be asked for, and there is none. */
const PREVIEW1_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ...(
    "args_get:ii args_sizes_get:ii clock_res_get:ii clock_time_get:iIi environ_get:ii environ_sizes_get:ii " +
    "fd_advise:iIIi fd_allocate:iII fd_close:i fd_datasync:i fd_fdstat_get:ii fd_fdstat_set_flags:ii " +
    "fd_fdstat_set_rights:iII fd_filestat_get:ii fd_filestat_set_size:iI fd_filestat_set_times:iIIi fd_pread:iiiIi " +
    "fd_prestat_dir_name:iii fd_prestat_get:ii fd_pwrite:iiiIi fd_read:iiii fd_readdir:iiiIi fd_renumber:ii " +
    "fd_seek:iIii fd_sync:i fd_tell:ii fd_write:iiii path_create_directory:iii path_filestat_get:iiiii " +
    "path_filestat_set_times:iiiiIIi path_link:iiiiiii path_open:iiiiiIIii path_readlink:iiiiii " +
    "path_remove_directory:iii path_rename:iiiiii path_symlink:iiiii path_unlink_file:iii poll_oneoff:iiii " +
    "random_get:ii sched_yield: sock_shutdown:ii"
  )
    .split(" ")
    .map((entry) => entry.split(":") as [string, string])
    .map(([name, params]) => [name, typeOf(params)] as const),
  ["proc_exit", typeOf("i", "")],
]);

const IMPORTS: ModuleContract["imports"] = new Map<string, ReadonlyMap<string, string>>([
  ["wasi_snapshot_preview1", PREVIEW1_FUNCTIONS],
  ["hotcell", new Map([["call", typeOf("iiiiii")]])],
]);

export const PAGE_BYTES = 64 * 1024;

export const pagesOf = (memoryMiB: number): number => Math.floor((memoryMiB * 1024 * 1024) / PAGE_BYTES);

/** A command: its one way in is `_start`. */
export function commandContract(maxMemoryPages: number): ModuleContract {
  return { imports: IMPORTS, entry: "_start", maxMemoryPages };
}
