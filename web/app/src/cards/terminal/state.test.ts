import { describe, expect, test } from "vitest";
import { translator } from "../../i18n/catalogue";
import type { TerminalCard, TerminalRuntime } from "../../wire/records";
import { cardOf } from "../testing/cardHost";
import { terminalMeta, terminalOverview, terminalRuns, terminalTone } from "./state";

const t = translator("en");
const idle = { status: "idle", cwd: "/home/me/shop", command: null, exitCode: null } as Partial<TerminalRuntime>;
const terminal = (runtime: Partial<TerminalRuntime> | null) =>
  cardOf({ kind: "terminal", content: { shell: "shell-bash", cwd: null }, runtime }) as TerminalCard;

describe("what a terminal says of itself", () => {
  test.each([
    [null, "bash · starting", "default"],
    [idle, "bash", "default"],
    [{ ...idle, status: "working", command: "pytest -q" }, "bash · pytest -q", "accent"],
    [{ ...idle, status: "working" }, "bash · working", "accent"],
    [{ ...idle, status: "finished", exitCode: 1 }, "bash · exit 1", "danger"],
    [{ ...idle, status: "finished", exitCode: 0 }, "bash · exit 0", "success"],
    [{ ...idle, status: "exited", exitCode: 130 }, "bash · ended", "default"],
  ] as const)("%o is %s", (runtime, words, tone) => {
    expect(terminalMeta(terminal(runtime), t)).toBe(words);
    expect(terminalTone(terminal(runtime)).tone).toBe(tone);
  });

  test("from far away it names its folder too", () => {
    expect(terminalOverview(terminal(idle), t)).toMatchObject({ primary: "bash", secondary: "shop" });
  });

  test("a shell that has ended is nothing to lose", () => {
    expect(terminalRuns(terminal(idle))).toBe(true);
    expect(terminalRuns(terminal({ ...idle, status: "exited" }))).toBe(false);
    expect(terminalRuns(terminal(null))).toBe(false);
  });
});
