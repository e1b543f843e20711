import { useSession, useT } from "../shell/context";
import { FileIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { carryingPointer } from "./carrying";
import { refText } from "./fileRef";
import { sendingText } from "./sending";
import { nameOf } from "./tree";
import styles from "./files.module.css";

/** The file at the pointer while it is carried, with what letting go would do. */
export function CarriedFile() {
  const session = useSession();
  const t = useT();
  const carrying = useStore(session.ui, (ui) => ui.carrying);
  const at = useStore(carryingPointer, (point) => point);
  const target = useStore(session.canvas, (state) => state?.cards.get(carrying?.targetId ?? ""));
  if (carrying === null || at === null) return null;
  return (
    <div className={styles["carried"]} style={{ transform: `translate(${at.x + 12}px, ${at.y + 14}px)` }}>
      <b>
        <FileIcon size={14} /> {nameOf(refText(carrying.ref))}
      </b>
      <span role="status">{target === undefined ? t("files.carry") : sendingText(t, target)}</span>
    </div>
  );
}
