import { useState } from "react";
import { AskedPermissions } from "../asking/AskedPermissions";
import { permissionsOf } from "../asking/dialogData";
import type { TextKey } from "../i18n/catalogue";
import { useT } from "../shell/context";
import type { PackageDifference, PackageReview } from "../wire/records";
import { ReviewFacts } from "./ReviewFacts";
import styles from "./packages.module.css";

interface UpdateReviewProps {
  review: PackageReview;
  installed: NonNullable<PackageReview["installed"]>;
  busy: boolean;
  onBack(): void;
  onUpdate(accept: boolean): void;
}

/** What an update changes. Whatever it asks for besides stays off unless the person accepts it here. */
export function UpdateReview({ review, installed, busy, onBack, onUpdate }: UpdateReviewProps) {
  const t = useT();
  const [accept, setAccept] = useState(false);
  const { difference, isCurrent } = installed;
  const needs = difference.needs.permissions.length + difference.needs.hosts.length > 0;
  if (isCurrent && !needs) {
    return (
      <>
        <ReviewFacts review={review} />
        <p className="notice tone-success">
          {t("review.current", { name: review.displayName, version: review.version })}
        </p>
        <footer className="modal-foot">
          <span className="spring" />
          <button type="button" className="btn is-primary" autoFocus onClick={onBack}>
            {t("packages.back")}
          </button>
        </footer>
      </>
    );
  }
  return (
    <>
      <p className={styles["versions"]}>
        <b>{installed.version}</b> → <b>{review.version}</b>
      </p>
      <section aria-label={t("review.changes")} className={styles["changes"]}>
        <h3>{t("review.changes")}</h3>
        <Asked review={review} difference={difference} />
        <Hosts title="review.newHosts" hosts={difference.hosts.added} />
        <Hosts title="review.lostHosts" hosts={difference.hosts.removed} />
        <Files difference={difference} />
      </section>
      {needs ? (
        <label className="check">
          <input type="checkbox" checked={accept} onChange={(event) => setAccept(event.target.checked)} />
          <span>{t("review.accept")}</span>
        </label>
      ) : null}
      <details>
        <summary>{t("review.details")}</summary>
        <ReviewFacts review={review} />
      </details>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={onBack}>
          {t("packages.back")}
        </button>
        <button type="button" className="btn is-primary" aria-disabled={busy} onClick={() => onUpdate(accept)}>
          {t("review.update")}
        </button>
      </footer>
    </>
  );
}

function Asked({ review, difference }: { review: PackageReview; difference: PackageDifference }) {
  const t = useT();
  const { added, removed } = difference.permissions;
  const fresh = permissionsOf(review.permissions.filter(({ id }) => added.includes(id)));
  return (
    <>
      {fresh.length === 0 ? null : (
        <>
          <h4>{t("review.newPermissions")}</h4>
          <AskedPermissions permissions={fresh} />
        </>
      )}
      {removed.length === 0 ? null : (
        <>
          <h4>{t("review.lostPermissions")}</h4>
          <p>
            {removed.map((id) => (
              <code key={id}>{id} </code>
            ))}
          </p>
        </>
      )}
    </>
  );
}

function Hosts({ title, hosts }: { title: TextKey; hosts: readonly string[] }) {
  const t = useT();
  if (hosts.length === 0) return null;
  return (
    <>
      <h4>{t(title)}</h4>
      <p>
        <code>{hosts.join(", ")}</code>
      </p>
    </>
  );
}

const SIGNS = { added: "+", changed: "~", removed: "−" } as const;
const TONES = { added: "success", changed: "default", removed: "danger" } as const;

function Files({ difference }: { difference: PackageDifference }) {
  const t = useT();
  const files = (["added", "changed", "removed"] as const).flatMap((how) =>
    difference.files[how].map((path) => ({ how, path })),
  );
  if (files.length === 0) return null;
  return (
    <>
      <h4>{t("review.fileChanges", { count: files.length + difference.more })}</h4>
      <ul className={styles["files"]}>
        {files.map(({ how, path }) => (
          <li key={path}>
            <i className={`chip tone-${TONES[how]}`} title={t(`review.${how}`)} aria-label={t(`review.${how}`)}>
              {SIGNS[how]}
            </i>
            <code>{path}</code>
          </li>
        ))}
        {difference.more === 0 ? null : <li className="muted">{t("review.more", { count: difference.more })}</li>}
      </ul>
    </>
  );
}
