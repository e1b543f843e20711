import { expect, test } from "vitest";
import { forField, forFile, lineEnd } from "./lineEnds";

test("the ends of lines survive a field that knows one kind alone", () => {
  expect(lineEnd("a\nb\n")).toBe("\n");
  expect(lineEnd("a\r\nb\r\n")).toBe("\r\n");
  expect(lineEnd("none")).toBe("\n");
  for (const mixed of ["a\r\nb\n", "a\rb", "a\n\r\n", "\r"]) expect(lineEnd(mixed)).toBeNull();
  expect(forFile(forField("a\r\nb"), "\r\n")).toBe("a\r\nb");
  expect(forFile("a\nb", "\n")).toBe("a\nb");
});
