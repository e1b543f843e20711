import { HARNESSES } from "@cardloom/protocol";
import { toldOf } from "../../i18n/reasonOf";
import type { AgentCard, AgentStatus, Card, StartedAgent, Tone } from "../../wire/records";
import type { OverviewText, TextKey, Translate } from "../contract";

/** What the agent does; null until it was started since the server began. */
export function startedOf({ runtime }: AgentCard): StartedAgent | null {
  return runtime?.started === true ? runtime : null;
}

export function statusOf(card: AgentCard): AgentStatus {
  return card.runtime?.status ?? "idle";
}

/** Whether its program runs. */
export function agentRuns(card: AgentCard): boolean {
  const started = startedOf(card);
  return started !== null && started.status !== "exited";
}

export function harnessName({ content }: AgentCard, t: Translate): string {
  return harnessTitle(content.harness, HARNESSES[content.harness].name, t);
}

/** What a harness is called: programs have names of their own, kinds of programs are told in the person's language. */
export function harnessTitle(id: string, name: string, t: Translate): string {
  return id === "acp" || id === "command" ? t(`harness.${id}`) : name;
}

/** The status as a word; an agent that was never started says so, and one whose turn failed. */
export function statusKey(card: AgentCard): TextKey {
  const started = startedOf(card);
  if (started === null) return "agentStatus.unstarted";
  return started.status === "finished" && started.error !== null ? "agentStatus.failed" : `agentStatus.${started.status}`;
}

export function agentTone(card: AgentCard): { tone: Tone; busy: boolean } {
  const started = startedOf(card);
  switch (started?.status) {
    case undefined:
    case "idle":
      return { tone: "default", busy: false };
    case "working":
      return { tone: "accent", busy: true };
    case "needs-input":
      return { tone: "warning", busy: true };
    case "finished":
      return { tone: (started?.error ?? null) === null ? "success" : "danger", busy: false };
    case "exited":
      // Whoever ended it knows; an end that nobody wanted is news.
      return { tone: card.content.wanted && failed(started) ? "danger" : "default", busy: false };
  }
}

function failed(started: StartedAgent | null): boolean {
  return started !== null && ((started.exitCode ?? 0) !== 0 || started.error !== null);
}

/** The words behind the title: harness and model, where the title does not say them already. */
export function agentMeta(card: AgentCard, t: Translate): string {
  const harness = harnessName(card, t);
  const model = startedOf(card)?.model ?? card.content.model;
  return [...(card.name === harness || card.name === HARNESSES[card.content.harness].name ? [] : [harness]), ...(model === null ? [] : [model])].join(" · ");
}

export function agentOverview(card: AgentCard, t: Translate): OverviewText {
  const started = startedOf(card);
  const error = started?.error ?? null;
  const secondary = started?.question?.detail ?? (error === null ? null : toldOf(t, error)) ?? started?.title ?? null;
  return {
    primary: t(statusKey(card)),
    tone: agentTone(card).tone,
    ...(secondary === null ? {} : { secondary }),
  };
}

/** Whether a card waits for the person: an agent with a question, or a card that calls. */
export function waitsForPerson(card: Card): boolean {
  if (card.chrome.attention?.level === "needs-input") return true;
  return card.kind === "agent" && statusOf(card) === "needs-input";
}

/** A stretch of time in its two largest units: "2 m 14 s". */
export function span(ms: number, t: Translate): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return t("agent.seconds", { s: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("agent.minutes", { m: minutes, s: seconds % 60 });
  return t("agent.hours", { h: Math.floor(minutes / 60), m: minutes % 60 });
}
