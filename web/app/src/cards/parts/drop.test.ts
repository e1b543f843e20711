import { expect, test } from "vitest";
import { dropPlace, type DropZone } from "./drop";

const zone = (id: string, left: number, rows: string[]): DropZone => ({
  id,
  left,
  right: left + 100,
  top: 0,
  bottom: 300,
  rows: rows.map((row, place) => ({
    id: row,
    left,
    right: left + 100,
    top: place * 20,
    bottom: place * 20 + 20,
  })),
});
const zones = [zone("one", 0, ["a", "b", "c"]), zone("two", 110, [])];

test("a row lands before the row whose upper half is under the pointer", () => {
  expect(dropPlace(zones, 50, 25, "c")).toEqual({ zone: "one", index: 1 });
});

test("a row lands behind the row whose lower half is under the pointer", () => {
  expect(dropPlace(zones, 50, 35, "c")).toEqual({ zone: "one", index: 2 });
});

test("the dragged row itself is not counted", () => {
  expect(dropPlace(zones, 50, 299, "a")).toEqual({ zone: "one", index: 2 });
});

test("an empty column takes a row at its start", () => {
  expect(dropPlace(zones, 150, 250, "a")).toEqual({ zone: "two", index: 0 });
});

test("outside every column there is no place", () => {
  expect(dropPlace(zones, 105, 20, "a")).toBeNull();
  expect(dropPlace(zones, 400, 20, "a")).toBeNull();
});
