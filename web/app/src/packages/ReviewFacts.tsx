import type { TextKey } from "../i18n/catalogue";
import { size } from "../panels/format";
import { useT } from "../shell/context";
import { WarningIcon } from "../shell/icons";
import type { PackageReview } from "../wire/records";
import { PackageIcon } from "./PackageIcon";
import { PackageMarks } from "./PackageRow";
import styles from "./packages.module.css";

/** Who made a package, what it is, and the hash that names exactly these files. */
export function ReviewFacts({ review }: { review: PackageReview }) {
  const t = useT();
  const facts: readonly [TextKey, string | null, "code"?][] = [
    ["review.name", review.name, "code"],
    ["review.author", review.author === null ? null : [review.author.name, review.author.url].filter(Boolean).join(" · ")],
    ["review.version", review.version],
    ["review.source", review.source, "code"],
    ["review.packageId", review.packageId, "code"],
    ["review.treeHash", review.treeHash, "code"],
    ["review.commit", review.commit, "code"],
    ["review.license", review.license],
    ["review.files", t("review.filesCount", { count: review.files.count, size: size(review.files.bytes, t) })],
    ["review.kind", t(`packages.${review.kind}Hint`)],
    ["review.tools", review.tools.length === 0 ? null : review.tools.join(", "), "code"],
  ];
  return (
    <>
      <header className={styles["head"]}>
        <PackageIcon icon={review.icon} size={40} />
        <div>
          <div className={styles["name"]}>
            <b>{review.displayName}</b>
            <PackageMarks info={review} />
          </div>
          {review.description === "" ? null : <p className="muted">{review.description}</p>}
        </div>
      </header>
      {review.kind === "python" ? (
        <p className="ask-rights">
          <WarningIcon size={18} />
          <span>{t("ask.rights")}</span>
        </p>
      ) : null}
      <dl className={`rows ${styles["facts"]}`}>
        {facts.map(([name, value, look]) =>
          value === null ? null : (
            <div className="row" key={name}>
              <dt>{t(name)}</dt>
              <dd>{look === "code" ? <code>{value}</code> : value}</dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
}
