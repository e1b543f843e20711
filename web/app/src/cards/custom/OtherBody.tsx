import type { CardBodyProps } from "../contract";
import { PortList } from "../parts/PortList";
import styles from "./custom.module.css";

/** A card of a kind this page does not know: its name stands in the header, its ports here. */
export function OtherBody({ card, api }: CardBodyProps) {
  return (
    <div className={styles.custom}>
      <div className={styles.words}>
        <p className={styles.quiet}>{api.t("other.body")}</p>
      </div>
      <PortList ports={card.ports} t={api.t} />
    </div>
  );
}
