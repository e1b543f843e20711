import { expect, test } from "vitest";
import { mixed, terminalTheme } from "./palette";

test("a mix lies between its two colours", () => {
  expect(mixed("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(mixed("#102030", "#ffffff", 0)).toBe("#102030");
  expect(mixed("#fff", "#000", 1)).toBe("#000000");
});

test("an opaque colour comes of one with transparency", () => {
  expect(mixed("#10203044", "#10203044", 0.5)).toBe("#102030");
});

test("errors are drawn in the scheme's danger colour and every colour is one the screen can read", () => {
  const theme = terminalTheme((name) => (name === "danger" ? "#ef7a85" : "#112233"));
  expect(theme.red).toBe("#ef7a85");
  expect(Object.values(theme).every((color) => /^#[0-9a-f]{6}$/.test(String(color)))).toBe(true);
});
