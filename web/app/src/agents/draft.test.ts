import { expect, test } from "vitest";
import { harness } from "../../tests/agents";
import { EMPTY_DRAFT, faultOf, freeTitle, usable, wishesOf, withHarness } from "./draft";

const claude = harness("claude-code", { name: "Claude Code" });

test("a draft is asked for with what was filled in and nothing else", () => {
  expect(wishesOf({ ...EMPTY_DRAFT, harness: claude })).toEqual({ harness: "claude-code" });
  const full = { harness: claude, title: " Fixer ", model: "opus", command: "", where: "worktree", folder: "/x", branch: "fix/a", prompt: "go", dangerous: true } as const;
  expect(wishesOf(full)).toEqual({
    harness: "claude-code",
    title: "Fixer",
    model: "opus",
    worktree: { branch: "fix/a" },
    prompt: "go",
    dangerous: true,
  });
});

test("what a harness cannot do is not asked of it", () => {
  const draft = { ...EMPTY_DRAFT, harness: harness("command"), command: "aider --yes", model: "opus", dangerous: true };
  expect(wishesOf(draft)).toEqual({ harness: "command", arguments: ["aider", "--yes"] });
});

test("a draft says what it lacks", () => {
  const command = { ...EMPTY_DRAFT, harness: harness("command") };
  expect(faultOf(EMPTY_DRAFT)).toBe("incomplete");
  expect(faultOf(command)).toBe("newAgent.commandMissing");
  expect(faultOf({ ...command, command: "'x" })).toBe("newAgent.quote");
  expect(faultOf({ ...EMPTY_DRAFT, harness: claude, where: "worktree" })).toBe("incomplete");
  expect(faultOf({ ...EMPTY_DRAFT, harness: claude, where: "folder", folder: "/x" })).toBeNull();
});

test("the title follows the harness until the person gives one", () => {
  const taken = new Set(["Claude Code"]);
  const first = withHarness(EMPTY_DRAFT, claude, taken);
  expect(first.title).toBe("Claude Code 2");
  expect(withHarness(first, harness("pi", { name: "Pi" }), taken).title).toBe("Pi");
  expect(withHarness({ ...first, title: "Mine" }, harness("pi", { name: "Pi" }), taken).title).toBe("Mine");
  expect(freeTitle("Pi", new Set(["Pi", "Pi 2"]))).toBe("Pi 3");
});

test("a harness that is too old cannot be used", () => {
  expect([usable(claude), usable({ ...claude, problem: "too old" }), usable({ ...claude, found: false })]).toEqual([true, false, false]);
});
