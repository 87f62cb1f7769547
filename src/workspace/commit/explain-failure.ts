import { HotcellError } from "../../core/errors.ts";
import { explainAsyncErrors } from "../fs/os-error.ts";
import { isUnfinished } from "./journal.ts";

/** Adds the state of the commit to the error of failed work. */
export async function explainFailure<T>(txDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await explainAsyncErrors("commit to", ".", work);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    const unfinished = isUnfinished(txDir);
    const state = unfinished
      ? "The commit is unfinished; every file is old or new. Run hotcell session recover."
      : "Nothing was written.";
    throw new HotcellError(
      error.code,
      `${error.message} ${state}`,
      { ...error.details, isUnfinished: unfinished },
      { cause: error },
    );
  }
}
