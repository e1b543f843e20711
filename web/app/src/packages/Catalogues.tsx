import { useEffect, useState, type FormEvent } from "react";
import { matchScore } from "../shell/matchScore";
import { CloseIcon, ResendIcon } from "../shell/icons";
import { toldOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import type { CatalogueEntry, CatalogueList } from "../wire/records";
import { PackageIcon } from "./PackageIcon";
import { ProblemNotice } from "./ProblemNotice";
import { useWork } from "./useWork";
import styles from "./packages.module.css";

interface CataloguesProps {
  busy: boolean;
  onLook(source: string): void;
}

/** The catalogues that the owner added, and the packages that they vouch for. */
export function Catalogues({ busy, onLook }: CataloguesProps) {
  const session = useSession();
  const t = useT();
  const work = useWork();
  const [listed, setListed] = useState<CatalogueList | null>(null);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [place, setPlace] = useState("");

  useEffect(() => {
    let wanted = true;
    session.client
      .call("catalogue.list", {})
      .then((found) => {
        if (wanted) setListed(found);
      })
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [session]);

  const add = async (event: FormEvent) => {
    event.preventDefault();
    const found = await work.run(() => session.client.call("catalogue.add", { location: place.trim() }));
    if (found === null) return;
    setListed(found);
    setPlace("");
  };
  const forget = async (location: string) => {
    const found = await work.run(() => session.client.call("catalogue.remove", { location }));
    if (found !== null) setListed(found);
  };
  const refresh = async () => {
    const found = await work.run(() => session.client.call("catalogue.refresh", {}));
    if (found === null) return;
    setListed(found);
    setProblems(found.problems);
  };

  return (
    <section className={styles["part"]} aria-label={t("catalogue.title")}>
      <p className="muted">{t("catalogue.about")}</p>
      <form className={styles["line"]} onSubmit={(event) => void add(event)}>
        <label className="field">
          <span>{t("catalogue.place")}</span>
          <input
            required
            spellCheck={false}
            value={place}
            placeholder={t("catalogue.placeExample")}
            onChange={(event) => setPlace(event.target.value)}
          />
        </label>
        <button type="submit" className="btn is-large" aria-disabled={work.busy || place.trim() === ""}>
          {t("catalogue.add")}
        </button>
        <button
          type="button"
          className="icon-btn"
          aria-label={t("catalogue.refresh")}
          title={t("catalogue.refresh")}
          aria-disabled={work.busy}
          disabled={listed === null || listed.catalogues.length === 0}
          onClick={() => void refresh()}
        >
          <ResendIcon />
        </button>
      </form>
      <ProblemNotice problem={work.problem} />
      {problems.map((problem) => (
        <p key={problem} className="notice tone-warning">
          {toldOf(t, problem)}
        </p>
      ))}
      {listed === null || listed.catalogues.length > 0 ? null : <p className="muted">{t("catalogue.none")}</p>}
      <ul className={styles["places"]}>
        {(listed?.catalogues ?? []).map(({ location, entries, faults }) => (
          <li key={location}>
            <code title={location}>{location}</code>
            <span className="muted">{t("catalogue.entries", { count: entries })}</span>
            {faults.length === 0 ? null : (
              <span className="chip tone-warning" title={faults.join("\n")}>
                {t("catalogue.faults", { count: faults.length })}
              </span>
            )}
            <button
              type="button"
              className="icon-btn"
              aria-label={t("catalogue.forget", { name: location })}
              title={t("catalogue.forget", { name: location })}
              aria-disabled={work.busy}
              onClick={() => void forget(location)}
            >
              <CloseIcon size={13} />
            </button>
          </li>
        ))}
      </ul>
      {listed === null || listed.entries.length === 0 ? null : (
        <Entries entries={listed.entries} busy={busy} onLook={onLook} />
      )}
    </section>
  );
}

const MAX_SHOWN = 100;

function Entries({ entries, busy, onLook }: { entries: readonly CatalogueEntry[]; busy: boolean; onLook(source: string): void }) {
  const t = useT();
  const [query, setQuery] = useState("");
  const fitting = entries.filter(
    (entry) => query.trim() === "" || matchScore(`${entry.displayName} ${entry.name} ${entry.description}`, query) > 0,
  );
  return (
    <>
      <label className="field">
        <span className="sr-only">{t("catalogue.search")}</span>
        <input value={query} placeholder={t("catalogue.search")} onChange={(event) => setQuery(event.target.value)} />
      </label>
      {fitting.length === 0 ? <p className="muted">{t("catalogue.nothing")}</p> : null}
      <ul className={styles["list"]}>
        {fitting.slice(0, MAX_SHOWN).map((entry) => (
          <li key={entry.source} className={styles["package"]} aria-label={entry.displayName}>
            <PackageIcon icon={null} size={28} />
            <div className={styles["about"]}>
              <div className={styles["name"]}>
                <b>{entry.displayName}</b>
                <span className="muted">{entry.version}</span>
                {entry.author === null ? null : <span className="muted">{t("packages.by", { name: entry.author })}</span>}
                <span className="chip tone-success">{t(entry.official ? "packages.official" : "packages.verified")}</span>
              </div>
              <small className="muted">{entry.description}</small>
            </div>
            <button
              type="button"
              className="btn"
              aria-disabled={busy}
              aria-label={`${t("packages.look")}: ${entry.displayName}`}
              onClick={() => onLook(entry.source)}
            >
              {t("packages.look")}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
