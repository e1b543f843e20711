import { describe, expect, test } from "vitest";
import { carriedOver, changed, inserted, moved } from "./lists";

interface Line {
  id: string;
  text: string;
  who?: string;
}
const line = (id: string, text = id): Line => ({ id, text });
const ids = (rows: readonly Line[]) => rows.map((row) => row.id).join("");
const abc = [line("a"), line("b"), line("c")];

describe("editing a list", () => {
  test("a row moves to an index counted without it", () => {
    expect(ids(moved(abc, "a", 1))).toBe("bac");
    expect(ids(moved(abc, "c", 0))).toBe("cab");
  });

  test("an index past the end means the end", () => {
    expect(ids(moved(abc, "a", 99))).toBe("bca");
    expect(ids(inserted(abc, line("d"), 99))).toBe("abcd");
  });

  test("moving a row that is gone changes nothing", () => {
    expect(moved(abc, "z", 0)).toEqual(abc);
  });

  test("a field set to undefined leaves the row", () => {
    expect(changed([{ ...line("a"), who: "Ann" }], "a", { who: undefined })).toEqual([line("a")]);
  });
});

describe("carrying a change over to a list that others edited", () => {
  test("undoing an addition removes that row and keeps rows that came later", () => {
    expect(ids(carriedOver(abc, [line("a"), line("c")], [...abc, line("d")]))).toBe("acd");
  });

  test("undoing a removal brings the row back behind its old neighbour", () => {
    expect(ids(carriedOver([line("a"), line("c")], abc, [line("x"), line("a"), line("c")]))).toBe("xabc");
  });

  test("a row whose neighbours are gone comes back first", () => {
    expect(ids(carriedOver([line("a")], [line("a"), line("b")], [line("x")]))).toBe("bx");
  });

  test("undoing a rename sets that field alone", () => {
    const current = [{ ...line("a", "new"), who: "Ann" }];
    expect(carriedOver([line("a", "new")], [line("a", "old")], current)).toEqual([{ ...line("a", "old"), who: "Ann" }]);
  });

  test("a field that the change added goes again", () => {
    const current = [{ ...line("a"), who: "Ann" }];
    expect(carriedOver(current, [line("a")], current)).toEqual([line("a")]);
  });

  test("undoing a move takes the old order and leaves strangers in their place", () => {
    const current = [line("b"), line("x"), line("c"), line("a")];
    expect(ids(carriedOver([line("b"), line("c"), line("a")], abc, current))).toBe("axbc");
  });

  test("a row that somebody else removed does not come back", () => {
    expect(ids(carriedOver([line("a", "1"), line("b")], [line("a", "2"), line("b")], [line("b")]))).toBe("b");
  });
});
