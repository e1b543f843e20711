import { useId } from "react";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import styles from "./agents.module.css";
import type { Draft, Where } from "./draft";

const PLACES: readonly Where[] = ["workspace", "folder", "worktree"];

/** In which folder the agent works: the workspace's, another, or a worktree of its own. */
export function WhereFields({ draft, onChange }: { draft: Draft; onChange(fields: Partial<Draft>): void }) {
  const session = useSession();
  const t = useT();
  const name = useId();
  const path = useStore(session.canvas, (state) => state?.workspace.path ?? "");
  return (
    <fieldset className={styles["where"]}>
      <legend>{t("newAgent.where")}</legend>
      <div className={styles["places"]}>
        {PLACES.map((place) => (
          <label key={place} className="check">
            <input type="radio" name={name} checked={draft.where === place} onChange={() => onChange({ where: place })} />
            <span>{t(`newAgent.${place}`)}</span>
          </label>
        ))}
      </div>
      {draft.where === "workspace" ? (
        <code className="muted" title={path}>
          {path}
        </code>
      ) : null}
      {draft.where === "folder" ? (
        <label className="field">
          <input
            aria-label={t("newAgent.path")}
            placeholder={path}
            value={draft.folder}
            maxLength={4096}
            spellCheck={false}
            autoFocus
            onChange={(event) => onChange({ folder: event.target.value })}
          />
        </label>
      ) : null}
      {draft.where === "worktree" ? (
        <label className="field">
          <input
            aria-label={t("newAgent.branch")}
            placeholder={t("newAgent.branch")}
            value={draft.branch}
            maxLength={200}
            spellCheck={false}
            autoFocus
            onChange={(event) => onChange({ branch: event.target.value })}
          />
          <small className="muted">{t("newAgent.worktreeHint")}</small>
        </label>
      ) : null}
    </fieldset>
  );
}
