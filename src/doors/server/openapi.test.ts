import { Validator } from "@seriousme/openapi-schema-validator";
import type { Hono } from "hono";
import { expect, onTestFinished, test, vi } from "vitest";

/** The server's modules once more, with the apps that they make. Other test files of this process have loaded them already. */
async function loadWithApps() {
  const apps: Hono[] = [];
  vi.resetModules();
  vi.doMock("hono", async (original) => {
    const hono = await original<typeof import("hono")>();
    class Seen extends hono.Hono {
      constructor() {
        super();
        apps.push(this);
      }
    }
    return { ...hono, Hono: Seen };
  });
  onTestFinished(() => {
    vi.doUnmock("hono");
    vi.resetModules();
  });
  return { apps, ...(await import("../../../test/kit/worlds/server-world.ts")) };
}

test("the OpenAPI document is valid and names every route that the server has, and no other", async () => {
  const { apps, openServerWorld } = await loadWithApps();
  const { get } = await openServerWorld();
  const { body: document } = await get("/api/openapi.json");
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  const named = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const had = apps.at(-1)!.routes.flatMap(({ method, path }) => {
    const at = path.replace(/:(\w+)/g, "{$1}");
    return method === "ALL" ? ["GET", "POST", "DELETE"].map((each) => `${each} ${at}`) : [`${method} ${at}`];
  });
  expect(had.length).toBeGreaterThan(30);
  // An upgrade is no route of the app: other tests connect to it.
  expect(named.sort()).toEqual([...had, "GET /ws"].sort());
  const ids = Object.values<object>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test("a validator finds a fault in a document: the positive control", async () => {
  expect(await new Validator().validate({ openapi: "3.1.0", info: {}, paths: {} })).toMatchObject({
    valid: false,
  });
});
