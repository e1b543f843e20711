import { describe, expect, test } from "vitest";
import { merged, textChange } from "./merge";

describe("the smallest change between two texts", () => {
  test("equal texts need none", () => {
    expect(textChange("one", "one")).toBeNull();
  });

  test("what is the same before and behind stays out of it", () => {
    expect(textChange("one two three", "one 2 three")).toEqual({ from: 4, to: 7, insert: "2" });
  });

  test("a repeated letter is inserted once", () => {
    expect(textChange("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
  });

  test("a character of two units is never cut in half", () => {
    const change = textChange("a😀b", "a😁b");
    expect(change).toEqual({ from: 1, to: 3, insert: "😁" });
  });
});

describe("merging two edits of one text", () => {
  const base = "# Title\n\nfirst\n\nlast\n";

  test("edits in different places both stay", () => {
    const mine = base.replace("Title", "Name");
    const theirs = `${base}added\n`;
    expect(merged(base, mine, theirs)).toBe("# Name\n\nfirst\n\nlast\nadded\n");
    expect(merged(base, theirs, mine)).toBe("# Name\n\nfirst\n\nlast\nadded\n");
  });

  test("the same edit made twice is one edit", () => {
    expect(merged(base, "new", "new")).toBe("new");
  });

  test("a text that only one side changed is that side's", () => {
    expect(merged(base, base, "theirs")).toBe("theirs");
    expect(merged(base, "mine", base)).toBe("mine");
  });

  test("edits of the same words are left to the person", () => {
    expect(merged(base, base.replace("first", "1st"), base.replace("first", "one"))).toBeNull();
  });

  test("two insertions at the same spot are left to the person", () => {
    expect(merged("ab", "a1b", "a2b")).toBeNull();
  });
});
