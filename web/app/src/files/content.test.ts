import { expect, test } from "vitest";
import { imageContent, imageType, isMarkdown, textContent } from "./content";

const read = (data: string, more: { truncated?: boolean; size?: number } = {}) => ({
  data,
  encoding: "utf8" as const,
  size: more.size ?? data.length,
  truncated: more.truncated ?? false,
});

test("a text is its lines, whatever ends them, and the last break begins no other", () => {
  expect(textContent("a.txt", read("a\r\nb\rc\n"))).toEqual({ kind: "text", lines: ["a", "b", "c"], markdown: null, truncated: false });
  expect(textContent("a.txt", read(""))).toMatchObject({ lines: [""] });
});

test("what holds NULs or is hardly UTF-8 is no text", () => {
  expect(textContent("a", read("ab\0cd"))).toEqual({ kind: "binary" });
  expect(textContent("a", read("\uFFFD\uFFFDab"))).toEqual({ kind: "binary" });
  expect(textContent("a", read("caf\uFFFD na\uFFFDve")).kind).toBe("text");
  expect(textContent("a", read(`caf\uFFFD ${"x".repeat(40)}`)).kind).toBe("text");
});

test("more lines than a browser can place are cut, and that is said", () => {
  const content = textContent("a.log", read("x\n".repeat(500_001)));
  expect(content).toMatchObject({ truncated: true });
  expect(content.kind === "text" && content.lines.length).toBe(500_000);
});

test("Markdown is rendered as far as that takes no seconds", () => {
  expect(textContent("a.md", read("# A"))).toMatchObject({ markdown: "# A" });
  expect(textContent("a.md", read("[".repeat(256 * 1024 + 1)))).toMatchObject({ markdown: null });
});

test("names tell pictures and Markdown, in any letter case", () => {
  expect(imageType("a/Photo.JPG")).toBe("image/jpeg");
  expect(imageType("a.b/photo")).toBeNull();
  expect(isMarkdown("README.MD")).toBe(true);
});

test("a picture becomes an address of its content, and half a picture none", () => {
  expect(imageContent("a.svg", read("AAAA"))).toEqual({ kind: "image", address: "data:image/svg+xml;base64,AAAA" });
  expect(imageContent("a.png", read("AAAA", { truncated: true }))).toEqual({ kind: "large" });
});
