import type { FormEvent } from "react";
import { useT } from "../shell/context";
import type { Place } from "./place";
import styles from "./packages.module.css";

interface InstallFieldProps {
  place: Place;
  busy: boolean;
  onChange(place: Place): void;
  onLook(): void;
}

/** Where to install from; nothing is installed before it was looked at. */
export function InstallField({ place, busy, onChange, onLook }: InstallFieldProps) {
  const t = useT();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onLook();
  };
  const isPath = /^([~/\\]|[A-Za-z]:)/.test(place.source.trim());
  return (
    <form className={styles["install"]} onSubmit={submit}>
      <div className={styles["line"]}>
        <label className="field">
          <span>{t("packages.source")}</span>
          <input
            autoFocus
            required
            spellCheck={false}
            value={place.source}
            placeholder={t("packages.sourceExample")}
            onChange={(event) => onChange({ ...place, source: event.target.value })}
          />
        </label>
        <button type="submit" className="btn is-primary is-large" disabled={place.source.trim() === ""} aria-disabled={busy}>
          {busy ? <i className="spinner" /> : null}
          {t(busy ? "packages.looking" : "packages.look")}
        </button>
      </div>
      {place.source.trim() === "" ? null : (
        <div className={styles["line"]}>
          <label className="field">
            <span>{t("packages.ref")}</span>
            <input
              spellCheck={false}
              value={place.ref}
              placeholder={t("packages.optional")}
              onChange={(event) => onChange({ ...place, ref: event.target.value })}
            />
          </label>
          <label className="field">
            <span>{t("packages.folder")}</span>
            <input
              spellCheck={false}
              value={place.folder}
              placeholder={t("packages.optional")}
              onChange={(event) => onChange({ ...place, folder: event.target.value })}
            />
          </label>
        </div>
      )}
      {isPath ? (
        <label className="check">
          <input
            type="checkbox"
            checked={place.dev}
            onChange={(event) => onChange({ ...place, dev: event.target.checked })}
          />
          <span>{t("packages.dev")}</span>
        </label>
      ) : null}
    </form>
  );
}
