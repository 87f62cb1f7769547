// Random tests: half of the runs are the same each time, half are new. A failure says how to repeat it.
import fc from "fast-check";
import { expect } from "vitest";

const FIXED_SEED = 1;
const RUNS = 100;

type Options<Ts> = Omit<fc.Parameters<Ts>, "seed" | "path" | "reporter" | "asyncReporter">;

export function assertProperty<Ts>(property: fc.IAsyncProperty<Ts>, options?: Options<Ts>): Promise<void>;
export function assertProperty<Ts>(property: fc.IProperty<Ts>, options?: Options<Ts>): void;
export function assertProperty<Ts>(
  property: fc.IRawProperty<Ts>,
  options: Options<Ts> = {},
): Promise<void> | void {
  const half = { ...options, numRuns: Math.ceil((options.numRuns ?? RUNS) / 2), reporter: report<Ts> };
  const first = fc.assert(property, { ...half, seed: FIXED_SEED });
  const second = () => fc.assert(property, { ...half, seed: randomSeed() });
  return property.isAsync() ? Promise.resolve(first).then(second) : second();
}

/** One seed for each property, so that each can be repeated alone. */
export function randomSeed(): number {
  const given = process.env.HOTCELL_TEST_SEED;
  return given === undefined ? Date.now() | 0 : Number(given);
}

function report<Ts>(run: fc.RunDetails<Ts>): void {
  if (!run.failed) return;
  const message = `${fc.defaultReportMessage(run)}\n\n${howToRepeat(run.seed)}`;
  throw new Error(message, { cause: run.errorInstance });
}

/** So many fixed seeds, and a new one. */
export function seedsTo(count: number): number[] {
  return [...Array.from({ length: count }, (_, at) => at + 1), randomSeed()];
}

/** Runs a check that a seed determines. A failure says how to repeat it. */
export async function repeatably(seed: number, check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${howToRepeat(seed)}`, { cause: error });
  }
}

/** The command that runs the present test with this seed. The name of the test is a regular expression there. */
function howToRepeat(seed: number): string {
  const { testPath, currentTestName } = expect.getState();
  const name = currentTestName!.replace(/[\\^$.*+?()[\]{}|"`!]/g, ".");
  return `Repeat with: HOTCELL_TEST_SEED=${seed} npx vitest run ${testPath} -t "${name}"`;
}
