// What a tool's module may import, and must export.
import type { ModuleContract } from "./inspect.ts";

/** WASI preview1 without sockets and signals. A shutdown of a socket can be asked for, and there is none. */
const PREVIEW1_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    "args_get args_sizes_get clock_res_get clock_time_get environ_get environ_sizes_get fd_advise fd_allocate fd_close " +
    "fd_datasync fd_fdstat_get fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get fd_filestat_set_size " +
    "fd_filestat_set_times fd_pread fd_prestat_dir_name fd_prestat_get fd_pwrite fd_read fd_readdir fd_renumber fd_seek " +
    "fd_sync fd_tell fd_write path_create_directory path_filestat_get path_filestat_set_times path_link path_open " +
    "path_readlink path_remove_directory path_rename path_symlink path_unlink_file poll_oneoff proc_exit random_get " +
    "sched_yield sock_shutdown"
  ).split(" "),
);

const IMPORTS: ModuleContract["imports"] = new Map<string, ReadonlySet<string>>([
  ["wasi_snapshot_preview1", PREVIEW1_FUNCTIONS],
  ["hotcell", new Set(["call"])],
]);

export const PAGE_BYTES = 64 * 1024;

export const pagesOf = (memoryMiB: number): number => Math.floor((memoryMiB * 1024 * 1024) / PAGE_BYTES);

/** A command: its one way in is `_start`. */
export function commandContract(maxMemoryPages: number): ModuleContract {
  return { imports: IMPORTS, entry: "_start", maxMemoryPages };
}
