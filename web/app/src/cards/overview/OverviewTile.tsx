import { lazy, Suspense } from "react";
import type { Card, Translate } from "../contract";
import { kindIcons } from "../icons";
import { cardBodies } from "../registry";
import { ProgressBar } from "../parts/ProgressBar";
import styles from "./overview.module.css";

const NamedIcon = lazy(() => import("./NamedIcon"));

/** A card too small to be read: its icon, its name, and the one line that matters. */
export function OverviewTile({ card, t }: { card: Card; t: Translate }) {
  const { primary, secondary, progress, tone } = cardBodies[card.kind].overview(card, t);
  const KindIcon = kindIcons[card.kind];
  const icon = card.chrome.overview?.icon ?? null;
  const kindIcon = <KindIcon size={44} />;
  return (
    <div
      className={styles.tile}
      data-kind={card.kind}
      data-tone={tone ?? "default"}
      data-color={card.kind === "sticky" ? card.content.color : undefined}
    >
      <span className={styles.icon}>
        {icon === null ? kindIcon : <Suspense fallback={kindIcon}>{<NamedIcon name={icon} size={44} />}</Suspense>}
      </span>
      <span className={styles.name}>{card.name}</span>
      {primary !== "" && primary !== card.name && <span className={styles.primary}>{primary}</span>}
      {secondary !== undefined && <span className={styles.secondary}>{secondary}</span>}
      {progress !== undefined && <ProgressBar progress={progress} tone={tone ?? "accent"} label={primary} />}
    </div>
  );
}
