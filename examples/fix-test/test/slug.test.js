import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "../src/slug.js";

test("every space becomes a hyphen", () => {
  assert.equal(slug("The quick brown fox"), "the-quick-brown-fox");
});
