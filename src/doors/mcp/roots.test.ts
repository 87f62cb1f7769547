import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { openMcpWorld, WAYS } from "../../../test/kit/worlds/mcp-world.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";

const ROOTS = { roots: { listChanged: true } };

const listing = (roots: () => readonly string[]) => (client: Client) =>
  client.setRequestHandler("roots/list", () => ({
    roots: roots().map((at) => ({ uri: pathToFileURL(at).href })),
  }));

describe.each(WAYS)("roots, %s", (way) => {
  const open = async (roots: (root: string) => readonly string[]) => {
    let root = "";
    const world = await openMcpWorld(
      way,
      { toolsets: ["coding", "mounts"] },
      ROOTS,
      listing(() => roots(root)),
    );
    root = world.root;
    for (const dir of ["src", "other"]) {
      fs.mkdirSync(path.join(root, dir));
      fs.writeFileSync(path.join(root, dir, "f"), `${dir}\n`);
    }
    fs.symlinkSync("../other/f", path.join(root, "src", "link"));
    const codeOf = async (name: string, args: object) => {
      const { structuredContent } = await world.client.callTool({ name, arguments: { ...args } });
      const { error } = structuredContent as { error?: { code: string } | null };
      return error?.code ?? null;
    };
    return { ...world, codeOf };
  };

  test("file tools keep to the part of the project that is in a root", async () => {
    const { codeOf } = await open((root) => [path.join(root, "src")]);
    expect(await codeOf("read_file", { path: "src/f" })).toBeNull();
    expect(await codeOf("list_directory", { path: "src" })).toBeNull();
    expect(await codeOf("read_file", { path: "other/f" })).toBe("DENIED");
    expect(await codeOf("read_file", { path: "src/../other/f" })).toBe("DENIED");
    expect(await codeOf("read_file", { path: "src/link" })).toBe("DENIED");
    expect(await codeOf("list_directory", { path: "." })).toBe("DENIED");
    expect(await codeOf("search_files", { pattern: "other" })).toBe("DENIED");
    expect(await codeOf("write_file", { path: "srcx", content: "" })).toBe("DENIED");
    expect(await codeOf("fs.read", { path: "@project/src/f" })).toBeNull();
    expect(await codeOf("fs.read", { path: "@project/other/f" })).toBe("E_DENIED");
    expect(await codeOf("fs.list", { path: "@state" })).toBe("E_DENIED");
  });

  test("tools that run commands are refused while the roots are smaller than the project", async () => {
    const { client } = await open((root) => [path.join(root, "src")]);
    const { structuredContent } = await client.callTool({
      name: "run_command",
      arguments: { command: "true" },
    });
    expect(structuredContent).toMatchObject({
      error: {
        code: "DENIED",
        message: expect.stringContaining("the client's roots are only a part of the project"),
      },
    });
  });

  test("a root around the project, or the project itself, narrows nothing and widens nothing", async () => {
    const { codeOf } = await open((root) => [path.dirname(root)]);
    expect(await codeOf("read_file", { path: "other/f" })).toBeNull();
    expect(await codeOf("read_file", { path: "../state" })).toBe("PATH_OUTSIDE_WORKSPACE");
  });

  test("an empty list narrows nothing", async () => {
    const { codeOf } = await open(() => []);
    expect(await codeOf("read_file", { path: "other/f" })).toBeNull();
  });

  test("a root outside the project gives nothing", async () => {
    const outside = tempDir();
    fs.writeFileSync(path.join(outside, "f"), "");
    const { codeOf } = await open(() => [outside]);
    expect(await codeOf("read_file", { path: "src/f" })).toBe("DENIED");
    expect(await codeOf("read_file", { path: path.join(outside, "f") })).toBe("PATH_OUTSIDE_WORKSPACE");
  });

  test("roots that change hold for the next call", async () => {
    let dir = "src";
    const { client, codeOf } = await open((root) => [path.join(root, dir)]);
    expect(await codeOf("read_file", { path: "src/f" })).toBeNull();
    dir = "other";
    if (way.startsWith("2025")) await client.sendRootsListChanged();
    expect(await codeOf("read_file", { path: "src/f" })).toBe("DENIED");
    expect(await codeOf("read_file", { path: "other/f" })).toBeNull();
  });

  test("roots that narrow while the client is asked for them hold for that call", async () => {
    let dir = ".";
    const { client, root } = await openMcpWorld(way, {}, ROOTS, (made) =>
      made.setRequestHandler("roots/list", async () => {
        const uri = pathToFileURL(path.join(root, dir)).href;
        if (dir === "." && way.startsWith("2025")) await made.sendRootsListChanged();
        dir = "src";
        return { roots: [{ uri }] };
      }),
    );
    for (const at of ["src", "other"]) {
      fs.mkdirSync(path.join(root, at));
      fs.writeFileSync(path.join(root, at, "f"), "");
    }
    const codeOf = async (at: string) => {
      const { structuredContent } = await client.callTool({ name: "read_file", arguments: { path: at } });
      return (structuredContent as { error?: { code: string } | null }).error?.code ?? null;
    };
    // A client of 2026-07-28 says nothing of changes, and is asked with each call.
    expect(await codeOf("other/f")).toBe(way.startsWith("2025") ? "DENIED" : null);
    expect(await codeOf("other/f")).toBe("DENIED");
    expect(await codeOf("src/f")).toBeNull();
  });

  test("a client that declares roots and does not list them is refused", async () => {
    const refuses = (client: Client) =>
      client.setRequestHandler("roots/list", () => Promise.reject(new Error("no")));
    const { client, root } = await openMcpWorld(way, {}, ROOTS, refuses);
    fs.writeFileSync(path.join(root, "f"), "");
    const call = client.callTool({ name: "read_file", arguments: { path: "f" } });
    const ended = await call.then(
      ({ isError }) => isError,
      () => true,
    );
    expect(ended).toBe(true);
  });
});
