/** What was opened before is closed when the next step fails. */
export function unlessFailing<T>(close: () => void, work: () => T): T {
  try {
    return work();
  } catch (error) {
    close();
    throw error;
  }
}
