import { expect, test } from "vitest";
import { lineOf, wordsOf } from "./commandLine";

test("a command is read as words, with blanks where quotes hold them together", () => {
  expect(wordsOf("  opencode   acp ")).toEqual(["opencode", "acp"]);
  expect(wordsOf(`"/my tools/agent" --name='A "B"' it\\ is ""`)).toEqual(["/my tools/agent", '--name=A "B"', "it is", ""]);
  expect(wordsOf("C:\\tools\\agent.exe")).toEqual(["C:\\tools\\agent.exe"]);
  expect(wordsOf(" ")).toEqual([]);
});

test("what is shown of a command is read back as the same words", () => {
  for (const words of [["pi"], ["/my tools/a", "", 'say "hi"', "it's", "back\\slash"]]) {
    expect(wordsOf(lineOf(words))).toEqual(words);
  }
});
