/** What the system's own programs get that hotcell starts for itself: nothing of the user's. */
export const HELPER_ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
