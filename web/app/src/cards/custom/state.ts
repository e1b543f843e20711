import type { CustomCard, CustomRuntime, Tone } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";

export interface RuntimeNotice {
  text: string;
  detail: string | null;
  tone: Tone;
  busy: boolean;
  action: "start" | "restart" | null;
}

/** What a person should know about the card's program; null while it simply runs. */
export function runtimeNotice(runtime: CustomRuntime | null, t: Translate): RuntimeNotice | null {
  const notice = { detail: null, tone: "default", busy: false, action: null } as const;
  switch (runtime?.status) {
    case "running":
      if (runtime.error === null) return null;
      return { ...notice, text: t("custom.silent"), detail: runtime.error, tone: "warning", action: "restart" };
    case "waiting":
      return { ...notice, text: t("custom.waiting"), tone: "warning" };
    case "starting":
      return { ...notice, text: t("custom.starting"), busy: true };
    case "external":
      if (runtime.error !== null) {
        return { ...notice, text: t("custom.silent"), detail: runtime.error, tone: "warning" };
      }
      return { ...notice, text: t("custom.external") };
    case "failed":
      return { ...notice, text: t("custom.failed"), detail: runtime.error, tone: "danger", action: "restart" };
    case undefined:
    case "stopped":
      return { ...notice, text: t("custom.stopped"), detail: runtime?.error ?? null, action: "start" };
  }
}

export function customTone({ runtime, chrome }: CustomCard): { tone: Tone; busy: boolean } | null {
  if (runtime?.status === "failed") return { tone: "danger", busy: false };
  if (runtime?.status === "waiting") return { tone: "warning", busy: false };
  if (runtime?.status === "starting") return { tone: "default", busy: true };
  return chrome.status === null ? null : { tone: chrome.status.tone, busy: chrome.status.busy };
}

export function customOverview(card: CustomCard, t: Translate): OverviewText {
  const { overview, status, badge } = card.chrome;
  const notice = runtimeNotice(card.runtime, t);
  if (notice !== null && notice.tone !== "default") return { primary: notice.text, tone: notice.tone };
  const { secondary, progress } = overview ?? { secondary: null, progress: null };
  const primary = overview?.primary ?? status?.text ?? badge?.text ?? notice?.text ?? t("custom.running");
  return {
    primary,
    tone: overview?.tone ?? status?.tone ?? "default",
    ...(secondary === null ? {} : { secondary }),
    ...(progress === null ? {} : { progress }),
  };
}

export function customRuns({ runtime }: CustomCard): boolean {
  return runtime?.status === "running" || runtime?.status === "starting";
}
