import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { packHits, unpackHits } from "./workers/packed-hits.ts";
import { packEntered, packRuns, unpackEntered, unpackRuns, withoutFiles } from "./workers/packed-walk.ts";

/** With half characters, as names that are no UTF-8 have. */
const text = (without: RegExp) =>
  fc
    .array(fc.constantFrom(..."a\r\n\0/é\uDC80😀"), { maxLength: 5 })
    .map((letters) => letters.join("").replace(without, ""));
const line = text(/\n/g);
const path = text(/\0/g);
const name = text(/[\0/]/g).map((letters) => `n${letters}`);
const count = fc.nat(1_000_000);

test("hits are the same when they were packed", () => {
  const lines = fc.array(line, { maxLength: 3 });
  const hits = fc.array(
    fc.record({ line: count, text: line, clipped: fc.boolean(), before: lines, after: lines }),
  );
  const counts = fc.record({ files: count, binary: count, unreadable: count, partlySearched: count });
  const files = fc.array(fc.record({ path, hits, counts }), { maxLength: 5 });
  assertProperty(
    fc.property(files, (given) => {
      expect(unpackHits(packHits(given))).toEqual(given);
    }),
  );
});

const runs = fc.array(fc.record({ dir: count, path, names: fc.array(name, { minLength: 1 }) }));

test("a walk is the same when it was packed", () => {
  const entered = fc.array(fc.record({ path, nlink: count, ctimeMs: fc.double({ noNaN: true }) }));
  assertProperty(
    fc.property(runs, entered, (given, seen) => {
      expect(unpackRuns(packRuns(given))).toEqual(given);
      expect(unpackEntered(packEntered(seen))).toEqual(seen);
    }),
  );
});

test("files are left out by their places among all", () => {
  assertProperty(
    fc.property(runs, fc.func(fc.boolean()), (given, isRefused) => {
      const all = given.flatMap(({ names }) => names);
      const places = all.map((_, at) => at).filter((at) => isRefused(at));
      const left = withoutFiles(given, places).flatMap(({ names }) => names);
      expect(left).toEqual(all.filter((_, at) => !places.includes(at)));
    }),
  );
});
