import { expect, test } from "vitest";
import { agent, content, question, running } from "../../../tests/agents";
import { note } from "../../../tests/makers";
import { translator } from "../../i18n/catalogue";
import { agentMeta, agentOverview, agentRuns, agentTone, span, statusKey, waitsForPerson } from "./state";

const t = translator("en");

test.each([
  [0, "0 s"],
  [59_999, "59 s"],
  [134_000, "2 m 14 s"],
  [7_260_000, "2 h 1 m"],
  [-5, "0 s"],
])("%i ms are told as %s", (ms, words) => {
  expect(span(ms, t)).toBe(words);
});

test("an agent that nobody started says so and does not run", () => {
  for (const runtime of [null, { status: "idle", started: false, queued: 2, queueRevision: 1 } as const]) {
    const card = agent("a", runtime);
    expect([t(statusKey(card)), agentRuns(card), agentTone(card).busy]).toEqual(["not started", false, false]);
  }
});

test.each([
  ["working", {}, { tone: "accent", busy: true }, "working"],
  ["needs-input", { question }, { tone: "warning", busy: true }, "waits for you"],
  ["finished", {}, { tone: "success", busy: false }, "finished"],
  ["finished", { error: "rate_limit" }, { tone: "danger", busy: false }, "failed"],
  ["exited", { exitCode: 3 }, { tone: "danger", busy: false }, "ended"],
  ["exited", { exitCode: 0 }, { tone: "default", busy: false }, "ended"],
] as const)("%s %o has a tone and a word", (status, more, tone, word) => {
  const card = agent("a", running({ status, ...more }));
  expect(agentTone(card)).toEqual(tone);
  expect(t(statusKey(card))).toBe(word);
});

test("an agent that somebody ended is no trouble, whatever its program said", () => {
  const card = agent("a", running({ status: "exited", exitCode: 129 }), { content: { ...content, wanted: false } });
  expect(agentTone(card).tone).toBe("default");
});

test("the words behind the title do not repeat it", () => {
  expect(agentMeta(agent("a", running({ model: "opus" }), { name: "Fixer" }), t)).toBe("Claude Code · opus");
  expect(agentMeta(agent("a", running(), { name: "Claude Code" }), t)).toBe("");
});

test("from afar an agent shows what it asks before what it works on", () => {
  const asks = agent("a", running({ status: "needs-input", question, title: "Refunds" }));
  expect(agentOverview(asks, t)).toEqual({ primary: "waits for you", tone: "warning", secondary: "run rm -rf build" });
  expect(agentOverview(agent("a", running({ title: "Refunds" })), t).secondary).toBe("Refunds");
});

test("from afar a failure is told in the person's language", () => {
  const failed = agent("a", running({ status: "finished", error: "nothing more was heard of this turn" }));
  expect(agentOverview(failed, translator("ru")).secondary).toBe("об этом ходе больше ничего не слышно");
  expect(agentOverview(agent("a", running({ error: "words of another program" })), translator("ru")).secondary).toBe("words of another program");
});

test("an agent with a question waits for the person as a card that calls does", () => {
  const calls = { ...note("n").chrome, attention: { level: "needs-input", message: null } as const };
  expect(waitsForPerson(agent("a", running({ status: "needs-input", question })))).toBe(true);
  expect(waitsForPerson(note("n", { chrome: calls }))).toBe(true);
  expect(waitsForPerson(agent("a", running({ status: "working" })))).toBe(false);
});
