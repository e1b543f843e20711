import { expect, test } from "vitest";
import { splitArguments } from "./arguments";

test.each([
  ["", []],
  ["  aider   --yes ", ["aider", "--yes"]],
  ["run 'two words' \"and \\\"more\\\"\"", ["run", "two words", 'and "more"']],
  ["a\\ b ''", ["a b", ""]],
  ["--x='1 2'y", ["--x=1 2y"]],
  ["'open", null],
])("%s becomes %o", (text, words) => {
  expect(splitArguments(text)).toEqual(words);
});
