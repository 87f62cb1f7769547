/** Tests that make sense for one kind of user only say so with `runIf(IS_ROOT)` or `runIf(!IS_ROOT)`. */
export const IS_ROOT = process.getuid!() === 0;
