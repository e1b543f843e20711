import { expect, test } from "vitest";
import type { FileEntry } from "@cardloom/protocol/session";
import { deletedAt, originOf, readTrash } from "./trash";

const entry = (path: string, type: "file" | "dir" = "file"): FileEntry => ({ path, name: path.slice(path.lastIndexOf("/") + 1), type });
const early = ".nr-trash/20261130T140000Z-aa11";
const late = ".nr-trash/20261130T150000Z-bb22";

test("what lies in the trash knows the path that it had", () => {
  expect(originOf(`${early}/docs/plan.txt`)).toBe("docs/plan.txt");
  expect(originOf(early)).toBeNull();
  expect(originOf(".nr-trash")).toBeNull();
  expect(originOf("docs/.nr-trash/x/plan.txt")).toBeNull();
});

test("the name of a deletion tells when it was", () => {
  expect(deletedAt("20261130T140000Z-aa11")?.toISOString()).toBe("2026-11-30T14:00:00.000Z");
  expect(deletedAt("mine")).toBeNull();
});

test("the trash shows what was deleted, the last first, and not its own folders", async () => {
  const folders: Record<string, FileEntry[]> = {
    ".nr-trash": [entry(early, "dir"), entry(late, "dir"), entry(".nr-trash/20261130T130000Z-cc33", "dir")],
    [early]: [entry(`${early}/docs`, "dir")],
    [late]: [entry(`${late}/plan.txt`)],
  };
  const list = (path: string) => {
    const found = folders[path];
    return found === undefined ? Promise.reject(new Error("it went")) : Promise.resolve(found);
  };
  expect((await readTrash(list)).map((one) => [one.name, one.deletedAt?.getUTCHours()])).toEqual([
    ["plan.txt", 15],
    ["docs", 14],
  ]);
});
