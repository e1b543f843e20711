import { AskedPermissions } from "../asking/AskedPermissions";
import { permissionsOf } from "../asking/dialogData";
import { useT } from "../shell/context";
import type { PackageReview } from "../wire/records";
import { ReviewFacts } from "./ReviewFacts";

interface InstallReviewProps {
  review: PackageReview;
  busy: boolean;
  onBack(): void;
  onInstall(): void;
}

/** A package before it is installed: what it requires is granted by installing it. */
export function InstallReview({ review, busy, onBack, onInstall }: InstallReviewProps) {
  const t = useT();
  const required = permissionsOf(review.permissions.filter((permission) => !permission.optional));
  const optional = permissionsOf(review.permissions.filter((permission) => permission.optional));
  return (
    <>
      <ReviewFacts review={review} />
      {review.permissions.length === 0 ? <p>{t("review.noPermissions")}</p> : null}
      {required.length === 0 ? null : (
        <section aria-label={t("review.required")}>
          <h3>{t(review.kind === "python" ? "review.requiredProgram" : "review.required")}</h3>
          <AskedPermissions permissions={required} />
        </section>
      )}
      {optional.length === 0 ? null : (
        <section aria-label={t("review.optional")}>
          <h3>{t("review.optional")}</h3>
          <AskedPermissions permissions={optional} />
        </section>
      )}
      {review.sameName.length === 0 ? null : (
        <p className="notice tone-warning">{t("review.sameName", { ids: review.sameName.join(", ") })}</p>
      )}
      {review.warnings.map((warning) => (
        <p key={warning} className="notice tone-warning">
          {warning}
        </p>
      ))}
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={onBack}>
          {t("packages.back")}
        </button>
        <button type="button" className="btn is-primary" aria-disabled={busy} onClick={onInstall}>
          {t(review.dev ? "review.link" : "review.install")}
        </button>
      </footer>
    </>
  );
}
