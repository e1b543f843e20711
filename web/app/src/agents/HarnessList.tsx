import type { KeyboardEvent } from "react";
import { harnessTitle } from "../cards/agent/state";
import { toldOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import { CopyIcon, ResendIcon } from "../shell/icons";
import type { Translate } from "../cards/contract";
import type { HarnessId, HarnessInfo } from "../wire/records";
import styles from "./agents.module.css";
import { namesProgram, usable } from "./draft";

interface HarnessListProps {
  /** Null while they are looked for the first time. */
  harnesses: readonly HarnessInfo[] | null;
  looking: boolean;
  chosen: HarnessId | null;
  onChoose(harness: HarnessInfo): void;
  onAgain(): void;
}

/** The coding agents there are: those that can start first, then what is missing with the way to get it. */
export function HarnessList({ harnesses, looking, chosen, onChoose, onAgain }: HarnessListProps) {
  const t = useT();
  const found = harnesses?.filter(usable) ?? [];
  const missing = harnesses?.filter((harness) => !usable(harness)) ?? [];
  return (
    <div className={styles["harnesses"]}>
      <header>
        <h3>{t("newAgent.found")}</h3>
        <button
          type="button"
          className="icon-btn"
          aria-label={t("newAgent.again")}
          title={t("newAgent.again")}
          disabled={looking}
          onClick={onAgain}
        >
          {looking ? <i className="spinner" /> : <ResendIcon size={14} />}
        </button>
      </header>
      {harnesses === null ? <p className="muted">{t("newAgent.looking")}</p> : null}
      {harnesses !== null && found.every(namesProgram) ? <p className="muted">{t("newAgent.none")}</p> : null}
      <div role="radiogroup" aria-label={t("agent.harness")} onKeyDown={walk}>
        {found.map((harness, place) => (
          <button
            key={harness.id}
            type="button"
            role="radio"
            className={styles["harness"]}
            aria-checked={chosen === harness.id}
            tabIndex={chosen === harness.id || (chosen === null && place === 0) ? 0 : -1}
            onClick={() => onChoose(harness)}
          >
            <b>{harnessTitle(harness.id, harness.name, t)}</b>
            <small className="muted">
              {namesProgram(harness) ? t("newAgent.own") : (harness.version ?? t("newAgent.unknownVersion"))}
            </small>
          </button>
        ))}
      </div>
      {missing.length === 0 ? null : (
        <>
          <h3>{t("newAgent.missing")}</h3>
          <ul>
            {missing.map((harness) => (
              <Missing key={harness.id} harness={harness} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Missing({ harness }: { harness: HarnessInfo }) {
  const session = useSession();
  const t = useT();
  const { name, install } = harness;
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => session.toast((t) => t("asked.copied")),
      (error: unknown) => session.report("fail.copy", error),
    );
  };
  return (
    <li className={styles["missing"]}>
      <b>{name}</b>
      <small className="muted">{whyNot(harness, t)}</small>
      {install === null ? null : (
        <span className={styles["install"]}>
          <code title={install}>{install}</code>
          <button
            type="button"
            className="icon-btn"
            aria-label={`${t("newAgent.copy")}: ${name}`}
            title={t("newAgent.copy")}
            onClick={() => copy(install)}
          >
            <CopyIcon size={13} />
          </button>
        </span>
      )}
    </li>
  );
}

/** What keeps a harness from working here. */
function whyNot({ found, command, version, minVersion, problem }: HarnessInfo, t: Translate): string {
  if (!found && command !== null) return t("newAgent.notInstalled", { command });
  if (found && version !== null && minVersion !== null) return t("newAgent.tooOld", { version, needed: minVersion });
  return problem === null ? "" : toldOf(t, problem);
}

/** Arrow keys go from one to the next and choose it, as in any group of radio buttons. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : event.key === "ArrowUp" || event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = all[(at + by + all.length) % all.length];
  next?.focus();
  next?.click();
}
