/** The environment of system programs that hotcell starts for itself. It has no variables of the user. */
export const HELPER_ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

/** How they are spawned: in a session of their own, because signals of a terminal, such as Ctrl-C, are for hotcell. */
export const HELPER_OPTIONS = { env: HELPER_ENVIRONMENT, detached: true };
