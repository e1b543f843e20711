import { toldOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { MoreIcon, WarningIcon } from "../shell/icons";
import { MenuButton, type MenuEntry } from "../shell/Menu";
import type { PackageInfo } from "../wire/records";
import { PackageIcon } from "./PackageIcon";
import styles from "./packages.module.css";

interface PackageRowProps {
  info: PackageInfo;
  busy: boolean;
  onUpdate(): void;
  onRollback(): void;
  onRemove(): void;
  onAllow(): void;
}

/** One package of the list, with what can be done to it. */
export function PackageRow({ info, busy, onUpdate, onRollback, onRemove, onAllow }: PackageRowProps) {
  const t = useT();
  const held = [...info.held.permissions, ...info.held.hosts];
  const entries: MenuEntry[] = [
    ...(info.dev ? [] : [{ id: "update", label: t("packages.update"), run: onUpdate }]),
    ...(info.former === null
      ? []
      : [{ id: "rollback", label: t("packages.rollback", { version: info.former }), run: onRollback }]),
    { id: "remove", label: t("packages.remove"), tone: "danger", run: onRemove },
  ];
  return (
    <li className={styles["package"]} aria-label={info.displayName}>
      <PackageIcon icon={info.icon} size={28} />
      <div className={styles["about"]}>
        <div className={styles["name"]}>
          <b>{info.displayName}</b>
          <span className="muted">{info.version}</span>
          {info.author === null ? null : <span className="muted">{t("packages.by", { name: info.author })}</span>}
          <PackageMarks info={info} />
        </div>
        <small className="muted" title={info.source ?? undefined}>
          {info.source ?? t("packages.bundled")}
        </small>
        {info.problem === null ? null : (
          <small className={`is-trouble ${styles["trouble"]}`}>
            <WarningIcon size={13} /> {toldOf(t, info.problem)}
          </small>
        )}
        {held.length === 0 ? null : (
          <p className={`notice tone-warning ${styles["held"]}`}>
            <span>{t("packages.held", { what: held.join(", ") })}</span>
            <button type="button" className="btn" aria-disabled={busy} onClick={onAllow}>
              {t("packages.allow")}
            </button>
          </p>
        )}
      </div>
      {info.source === null ? null : (
        <MenuButton
          className="icon-btn"
          label={t("packages.actions", { name: info.displayName })}
          align="end"
          entries={entries}
        >
          <MoreIcon />
        </MenuButton>
      )}
    </li>
  );
}

type Marked = Pick<PackageInfo, "kind" | "dev" | "verified">;

/** What kind of package it is, and who vouches for it. */
export function PackageMarks({ info }: { info: Marked }) {
  const t = useT();
  return (
    <>
      {info.verified ? (
        <span className="chip tone-success" title={t("packages.verifiedHint")}>
          {t("packages.verified")}
        </span>
      ) : null}
      {info.dev ? <span className="chip tone-accent">{t("packages.linked")}</span> : null}
      <span className="chip tone-default" title={t(`packages.${info.kind}Hint`)}>
        {t(`packages.${info.kind}`)}
      </span>
    </>
  );
}
