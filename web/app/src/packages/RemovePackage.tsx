import { useState } from "react";
import { useT } from "../shell/context";

interface RemovePackageProps {
  busy: boolean;
  onBack(): void;
  onRemove(dropData: boolean): void;
}

/** Before a package is removed: what becomes of its cards, and of what they stored. */
export function RemovePackage({ busy, onBack, onRemove }: RemovePackageProps) {
  const t = useT();
  const [dropData, setDropData] = useState(false);
  return (
    <>
      <p>{t("uninstall.text")}</p>
      <label className="check">
        <input type="checkbox" checked={dropData} onChange={(event) => setDropData(event.target.checked)} />
        <span>{t("uninstall.data")}</span>
      </label>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={onBack}>
          {t("packages.back")}
        </button>
        <button type="button" className="btn is-danger is-solid" aria-disabled={busy} onClick={() => onRemove(dropData)}>
          {t("uninstall.yes")}
        </button>
      </footer>
    </>
  );
}
