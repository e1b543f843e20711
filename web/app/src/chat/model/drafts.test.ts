import { beforeEach, expect, test } from "vitest";
import type { Attachment } from "./attachments";
import { draftKey, Drafts } from "./drafts";

const KEY = draftKey("engine", "s1");
const file = (name: string, chars = 4): Attachment => ({ name, mime: "text/plain", content: "A".repeat(chars) });

/** The drafts as a page has them that was read anew. */
const afterReload = () => new Drafts(localStorage);

beforeEach(() => localStorage.clear());

test("what is typed and attached is there again after the page was read anew", () => {
  const drafts = new Drafts(localStorage);
  drafts.write(KEY, "half a thou");
  drafts.hold(KEY, [file("plan.txt")]);
  expect(afterReload().of(KEY)).toEqual({ text: "half a thou", files: [file("plan.txt")] });
  expect(afterReload().of(draftKey("engine", "s2"))).toEqual({ text: "", files: [] });
});

test("a draft that went out is gone, and what was typed meanwhile stays", () => {
  const drafts = new Drafts(localStorage);
  drafts.write(KEY, "first");
  drafts.hold(KEY, [file("plan.txt")]);
  expect(drafts.take(KEY)).toEqual({ text: "first", files: [file("plan.txt")] });
  expect(drafts.of(KEY).text).toBe("");
  expect(afterReload().of(KEY).text).toBe("first");
  drafts.write(KEY, "second");
  drafts.settle(KEY);
  expect(afterReload().of(KEY)).toEqual({ text: "second", files: [] });
  drafts.write(KEY, "");
  drafts.forget(KEY);
  expect(localStorage.length).toBe(0);
});

test("what is too large stays for the page's life, and no older state comes back in its place", () => {
  const limits = { sessions: 9, textChars: 10, filesChars: 10 };
  const drafts = new Drafts(localStorage, Date.now, limits);
  drafts.write(KEY, "short");
  drafts.hold(KEY, [file("a", 6)]);
  drafts.write(KEY, "longer than it may be");
  drafts.hold(KEY, [file("a", 6), file("b", 6)]);
  expect(drafts.of(KEY).files).toHaveLength(2);
  expect(afterReload().of(KEY)).toEqual({ text: "", files: [] });
});

test("of too many drafts those written longest ago are let go", () => {
  let now = 0;
  const drafts = new Drafts(localStorage, () => ++now, { sessions: 2, textChars: 99, filesChars: 99 });
  for (const name of ["a", "b", "c"]) drafts.write(name, name);
  drafts.write("b", "b again");
  drafts.write("d", "d");
  const later = afterReload();
  expect(["a", "b", "c", "d"].map((name) => later.of(name).text)).toEqual(["", "b again", "", "d"]);
});

test("a store that is full takes nothing away from the page", () => {
  const full = { ...fake(), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
  const drafts = new Drafts(full);
  drafts.write(KEY, "kept here");
  expect(drafts.of(KEY).text).toBe("kept here");
});

test("what somebody else left in the store is no draft", () => {
  localStorage.setItem(`cardloom.draft.text:${KEY}`, "{broken");
  localStorage.setItem(`cardloom.draft.files:${KEY}`, JSON.stringify({ files: [{ name: 1 }, file("a")] }));
  expect(afterReload().of(KEY)).toEqual({ text: "", files: [file("a")] });
});

function fake(): Storage {
  return { length: 0, clear: () => undefined, getItem: () => null, key: () => null, removeItem: () => undefined, setItem: () => undefined };
}
