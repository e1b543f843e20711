import { frameRuntime } from "../../frame/frames";
import { toldOf } from "../../i18n/reasonOf";
import type { CustomCard, ProgramRuntime, Tone } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";

interface RuntimeNotice {
  text: string;
  detail: string | null;
  tone: Tone;
  busy: boolean;
  action: "start" | "restart" | null;
}

/** What a person should know about the card's program; null while it simply runs. */
export function runtimeNotice(runtime: ProgramRuntime | null, t: Translate): RuntimeNotice | null {
  const notice = { detail: null, tone: "default", busy: false, action: null } as const;
  const detail = runtime === null || runtime.error === null ? null : toldOf(t, runtime.error);
  switch (runtime?.status) {
    case "running":
      if (runtime.error === null) return null;
      return { ...notice, text: t("custom.silent"), detail, tone: "warning", action: "restart" };
    case "waiting":
      return { ...notice, text: t("custom.waiting"), tone: "warning" };
    case "starting":
      if (runtime.error !== null) {
        return { ...notice, text: t("custom.unconnected"), detail, tone: "warning", action: "restart" };
      }
      return { ...notice, text: t("custom.starting"), busy: true };
    case "external":
      if (runtime.error !== null) {
        return { ...notice, text: t("custom.silent"), detail, tone: "warning" };
      }
      return { ...notice, text: t("custom.external") };
    case "failed":
      return { ...notice, text: t("custom.failed"), detail, tone: "danger", action: "restart" };
    case undefined:
    case "stopped":
      return { ...notice, text: t("custom.stopped"), detail, action: "start" };
  }
}

/** The runtime of a card that is a program; null for a frame. */
export function programRuntime({ runtime }: CustomCard): ProgramRuntime | null {
  return runtime === null || "kind" in runtime ? null : runtime;
}

export function customTone(card: CustomCard): { tone: Tone; busy: boolean } | null {
  const { runtime, chrome } = card;
  if (runtime?.status === "unresponsive") return { tone: "warning", busy: false };
  if (runtime?.status === "loading") return { tone: "default", busy: true };
  if (runtime?.status === "failed") return { tone: "danger", busy: false };
  if (runtime?.status === "waiting") return { tone: "warning", busy: false };
  if (runtime?.status === "starting") {
    return runtime.error === null ? { tone: "default", busy: true } : { tone: "warning", busy: false };
  }
  return chrome.status === null ? null : { tone: chrome.status.tone, busy: chrome.status.busy };
}

export function customOverview(card: CustomCard, t: Translate): OverviewText {
  const { overview, status, badge } = card.chrome;
  const frame = frameRuntime(card);
  const notice = frame === null ? runtimeNotice(programRuntime(card), t) : null;
  if (frame?.status === "unresponsive") return { primary: t("frame.silent"), tone: "warning" };
  if (frame?.status === "failed") return { primary: t("frame.failed"), tone: "danger" };
  if (notice !== null && notice.tone !== "default") return { primary: notice.text, tone: notice.tone };
  const { secondary, progress } = overview ?? { secondary: null, progress: null };
  const primary = overview?.primary ?? status?.text ?? badge?.text ?? notice?.text ?? idleText(card, t);
  return {
    primary,
    tone: overview?.tone ?? status?.tone ?? "default",
    ...(secondary === null ? {} : { secondary }),
    ...(progress === null ? {} : { progress }),
  };
}

function idleText(card: CustomCard, t: Translate): string {
  const frame = frameRuntime(card);
  if (frame === null) return t("custom.running");
  return frame.status === "suspended" ? t("frame.asleep") : "";
}

export function customMeta(card: CustomCard, t: Translate): string {
  const frame = frameRuntime(card);
  if (frame === null) return t("custom.meta");
  return frame.status === "suspended" ? t("frame.asleep") : "";
}

/** Whether a program runs in the card, whose end deserves a question; a frame stores what it has before it goes. */
export function customRuns(card: CustomCard): boolean {
  const status = programRuntime(card)?.status;
  return status === "running" || status === "starting";
}
