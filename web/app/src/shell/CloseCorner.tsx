import { useT } from "./context";
import { CloseIcon } from "./icons";

/** The way out of a window that has no buttons at its end: in its corner, and last in the order of the keys. */
export function CloseCorner({ onClose }: { onClose(): void }) {
  const t = useT();
  return (
    <button type="button" className="icon-btn modal-close" aria-label={t("app.close")} title={`${t("app.close")} (Esc)`} onClick={onClose}>
      <CloseIcon />
    </button>
  );
}
