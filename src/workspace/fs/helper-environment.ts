/** The environment of system programs that hotcell starts for itself. It has no variables of the user. */
export const HELPER_ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
