import { beforeEach, describe, expect, test } from "vitest";
import type { Card } from "../src";
import { MockHost, settle } from "../src/testing";
import { MANIFEST } from "./tideClock";

let host: MockHost;
let card: Card;

beforeEach(async () => {
  const files = { "a.txt": "прилив", "src/b.bin": new Uint8Array([0, 1, 255]), "src/deep/c.txt": "c", "src/node_modules/d.js": "" };
  host = new MockHost({ manifest: MANIFEST, permissions: ["fs.write"], files });
  card = await host.connect();
});

describe("files", () => {
  test("are read as text, as bytes, and cut where asked", async () => {
    expect(await card.fs.readText("./a.txt")).toBe("прилив");
    expect(await card.fs.readBytes("src\\b.bin")).toEqual(new Uint8Array([0, 1, 255]));
    expect(await card.fs.read("a.txt", { encoding: "base64", maxBytes: 2 })).toMatchObject({ size: 12, truncated: true });
  });

  test("are written whole, with missing folders only on request", async () => {
    await expect(card.fs.writeText("new/e.txt", "e")).rejects.toMatchObject({ code: "FS_ERROR", data: { reason: "not_found" } });
    expect(await card.fs.writeText("new/e.txt", "e", { createDirs: true })).toMatchObject({ path: "new/e.txt", size: 1 });
    await card.fs.writeBytes("new/f.bin", new Uint8Array([255]));
    expect(host.world.files.text("new/e.txt")).toBe("e");
    expect(await card.fs.stat("new/f.bin")).toMatchObject({ type: "file", size: 1 });
    expect(await card.fs.mkdir("made/deep")).toMatchObject({ type: "directory" });
  });

  test("changed meanwhile are not overwritten", async () => {
    const { mtimeMs } = await card.fs.stat("a.txt");
    await card.fs.writeText("a.txt", "ok", { ifMtimeMs: mtimeMs });
    const error = await card.fs.writeText("a.txt", "no", { ifMtimeMs: mtimeMs - 1 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "FS_ERROR", data: { conflict: true } });
  });

  test("are listed, without what nobody means", async () => {
    expect((await card.fs.list()).entries.map(({ path }) => path)).toEqual(["a.txt", "src"]);
    expect((await card.fs.list("src", { recursive: true })).entries.map(({ path }) => path)).toEqual([
      "src/b.bin",
      "src/deep",
      "src/deep/c.txt",
      "src/node_modules",
    ]);
    expect(await card.fs.list("", { recursive: true, maxEntries: 1 })).toMatchObject({ truncated: true });
  });

  test("go to the trash with all that is in them", async () => {
    await card.fs.trash("src");
    await expect(card.fs.stat("src/deep/c.txt")).rejects.toMatchObject({ data: { reason: "not_found" } });
    expect(host.world.files.trashed).toEqual(["src"]);
  });

  test.each(["../x", "/etc/passwd", "C:\\x", "", ".git/config", "sub/AGENTS.md"])("%j is nothing a card may write", async (path) => {
    await expect(card.fs.writeText(path, "x", { createDirs: true })).rejects.toMatchObject({ code: "FS_DENIED" });
  });

  test("are watched until stopped, and stopping twice asks the host once", async () => {
    const seen: string[] = [];
    const stop = await card.fs.watch("src", ({ path, type }) => seen.push(`${type} ${path}`), { recursive: true });
    await host.changeFile("src/deep/c.txt", "new");
    await card.fs.writeText("src/g.txt", "g");
    await settle();
    await host.changeFile("a.txt", "elsewhere");
    await stop();
    await stop();
    await host.changeFile("src/deep/c.txt", "later");
    expect(seen).toEqual(["change src/deep/c.txt", "rename src/g.txt"]);
    expect(host.calls.filter(({ method }) => method === "fs.unwatch")).toHaveLength(1);
  });

  test("whose watch the host ended are not unwatched", async () => {
    const seen: string[] = [];
    const stop = await card.fs.watch("src", ({ type }) => seen.push(type));
    await host.event("fs.changed", { watchId: "w1", path: "src", type: "ended" });
    await stop();
    expect(seen).toEqual(["ended"]);
    expect(host.calls.some(({ method }) => method === "fs.unwatch")).toBe(false);
  });
});
