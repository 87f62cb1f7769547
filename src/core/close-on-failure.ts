/** Calls `close` if the work throws. */
export function closeOnFailure<T>(close: () => void, work: () => T): T {
  try {
    return work();
  } catch (error) {
    close();
    throw error;
  }
}
