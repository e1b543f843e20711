import { expect, test } from "vitest";
import { figureOf, figuresOf } from "./figures";

test.each([
  ["3 failing", { value: "3", label: "failing" }],
  ["12/40 tests", { value: "12/40", label: "tests" }],
  ["$4.31 today", { value: "$4.31", label: "today" }],
  ["85 % done", { value: "85 %", label: "done" }],
])("%s is a number with a label", (text, figure) => {
  expect(figureOf(text)).toEqual(figure);
});

test.each(["all green", "3", "build 7 failed", ""])("%s is plain text", (text) => {
  expect(figureOf(text)).toBeNull();
});

test("two texts make two figures", () => {
  expect(figuresOf(["3 failing", "12 passing"])?.map((each) => each.value)).toEqual(["3", "12"]);
  expect(figuresOf(["3 failing · 12 passing", null])?.map((each) => each.label)).toEqual(["failing", "passing"]);
});

test("a text that is no figure leaves all as they are", () => {
  expect(figuresOf(["3 failing", "since yesterday"])).toBeNull();
  expect(figuresOf([null, null])).toBeNull();
});
