import { toldOf } from "../../i18n/reasonOf";
import type { ChatCard, Tone } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";

/** What the chat is at, and how many prompts wait for it; "" while there is nothing to say. */
export function chatMeta({ runtime }: ChatCard, t: Translate): string {
  if (runtime === null) return "";
  const queued = runtime.queued > 0 ? t("chat.queued", { count: runtime.queued }) : "";
  return [runtime.status === "idle" ? "" : t(`chat.status.${runtime.status}`), queued].filter((words) => words !== "").join(" · ");
}

export function chatTone({ runtime }: ChatCard): { tone: Tone; busy: boolean } | null {
  switch (runtime?.status) {
    case "working":
      return { tone: "accent", busy: true };
    case "needs-input":
      return { tone: "warning", busy: true };
    case "error":
      return { tone: "danger", busy: false };
    case "idle":
    case undefined:
      return null;
  }
}

export function chatOverview(card: ChatCard, t: Translate): OverviewText {
  const primary = t(`chat.status.${card.runtime?.status ?? "idle"}`);
  const error = card.runtime?.error ?? null;
  return { primary, tone: chatTone(card)?.tone ?? "default", ...(error === null ? {} : { secondary: toldOf(t, error) }) };
}
