import type { TerminalCard, Tone } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";

/** The shell's own name: `bash` of `shell-bash`. */
export function shellName(card: TerminalCard): string {
  return card.content.shell.replace(/^shell-/, "");
}

/** What the terminal is at, in a few words; "" when there is nothing to say. */
function terminalState({ runtime }: TerminalCard, t: Translate): string {
  switch (runtime?.status) {
    case undefined:
    case "starting":
      return t("terminal.starting");
    case "working":
      return runtime.command ?? t("terminal.working");
    case "exited":
      return t("terminal.exited");
    case "idle":
    case "finished":
      return runtime.exitCode === null ? "" : t("terminal.exit", { code: runtime.exitCode });
  }
}

/** The words behind the title: "bash · exit 1". */
export function terminalMeta(card: TerminalCard, t: Translate): string {
  return [shellName(card), terminalState(card, t)].filter((part) => part !== "").join(" · ");
}

export function terminalTone({ runtime }: TerminalCard): { tone: Tone; busy: boolean } {
  switch (runtime?.status) {
    case undefined:
    case "starting":
      return { tone: "default", busy: true };
    case "working":
      return { tone: "accent", busy: true };
    case "exited":
      return { tone: "default", busy: false };
    case "idle":
    case "finished":
      if (runtime.exitCode === null) return { tone: "default", busy: false };
      return { tone: runtime.exitCode === 0 ? "success" : "danger", busy: false };
  }
}

export function terminalOverview(card: TerminalCard, t: Translate): OverviewText {
  const folder = card.runtime?.cwd?.split("/").filter((part) => part !== "").at(-1);
  return {
    primary: terminalMeta(card, t),
    tone: terminalTone(card).tone,
    ...(folder === undefined ? {} : { secondary: folder }),
  };
}

/** A shell that has not ended is lost when its card goes. */
export function terminalRuns({ runtime }: TerminalCard): boolean {
  return runtime !== null && runtime.status !== "exited";
}
