import { expect, test } from "vitest";
import { fileRefIn, fileRefOf, linkedFile, refText } from "./fileRef";

test("a value of ns:file-ref is a path and perhaps a line", () => {
  expect(fileRefOf("ns:file-ref", { path: "src/a.ts", line: 7 })).toEqual({ path: "src/a.ts", line: 7 });
  expect(fileRefOf("ns:file-ref", { path: "src/a.ts" })).toEqual({ path: "src/a.ts" });
  expect(refText({ path: "src/a.ts", line: 7 })).toBe("src/a.ts:7");
});

test.each([
  ["ns:json", { path: "a" }],
  ["ns:file-ref", null],
  ["ns:file-ref", "a"],
  ["ns:file-ref", { path: "" }],
  ["ns:file-ref", { path: 3 }],
])("%s %j refers to no file", (type, value) => expect(fileRefOf(type, value)).toBeNull());

test.each([0, -1, 1.5, "2"])("a line of %j is none", (line) => {
  expect(fileRefOf("ns:file-ref", { path: "a", line })).toEqual({ path: "a" });
});

test("a text that was cut refers to nothing", () => {
  expect(fileRefIn("ns:file-ref", '{"path":"a/b')).toBeNull();
  expect(fileRefIn("ns:file-ref", '{"path":"a/b"}')).toEqual({ path: "a/b" });
});

test.each([
  ["docs", "guide.md", { path: "docs/guide.md" }],
  ["docs", "./guide.md#L12", { path: "docs/guide.md", line: 12 }],
  ["docs/a", "../../src/x%20y.ts", { path: "src/x y.ts" }],
  ["", "src/%zz.ts?raw=1#top", { path: "src/%zz.ts" }],
  ["docs", "../../outside", null],
  ["", "..", null],
  ["", "#part", null],
  ["", "/etc/passwd", null],
  ["", "https://example.org", null],
  ["", "javascript:alert(1)", null],
  ["", "\\\\server\\share", null],
])("from %j the link %s leads to %j", (folder, address, wanted) => expect(linkedFile(folder, address)).toEqual(wanted));
