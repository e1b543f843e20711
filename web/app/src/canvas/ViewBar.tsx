import { useStore as useFlow } from "@xyflow/react";
import { redo, undo } from "../actions/history";
import { useSession, useT } from "../shell/context";
import { FitIcon, MinusIcon, PlusIcon, RedoIcon, UndoIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { wordsOf } from "../state/toasts";
import { useViewport } from "./viewport";

/** Zoom, fit, undo and redo, beside the map. */
export function ViewBar() {
  const session = useSession();
  const t = useT();
  const viewport = useViewport();
  const percent = useFlow((state) => Math.round(state.transform[2] * 100));
  const { undoLabel, redoLabel } = useStore(session.undo.view, (view) => view);
  return (
    <div className="view-bar" role="toolbar" aria-label={t("view.bar")}>
      <button type="button" className="icon-btn" aria-label={t("view.zoomOut")} title={`${t("view.zoomOut")} (−)`} onClick={() => viewport.zoomBy(0.8)}>
        <MinusIcon />
      </button>
      <button type="button" className="view-zoom" aria-label={t("view.actual")} title={`${t("view.actual")} (0)`} onClick={() => viewport.zoomTo(1)}>
        {percent}%
      </button>
      <button type="button" className="icon-btn" aria-label={t("view.zoomIn")} title={`${t("view.zoomIn")} (+)`} onClick={() => viewport.zoomBy(1.25)}>
        <PlusIcon />
      </button>
      <button type="button" className="icon-btn" aria-label={t("view.fit")} title={`${t("view.fit")} (1)`} onClick={() => viewport.fit()}>
        <FitIcon />
      </button>
      <i className="bar-line" />
      <button
        type="button"
        className="icon-btn"
        aria-label={t("undo.undo")}
        title={undoLabel === null ? t("undo.undo") : t("undo.undoOf", { what: wordsOf(undoLabel, t) })}
        disabled={undoLabel === null}
        onClick={() => void undo(session)}
      >
        <UndoIcon />
      </button>
      <button
        type="button"
        className="icon-btn"
        aria-label={t("undo.redo")}
        title={redoLabel === null ? t("undo.redo") : t("undo.redoOf", { what: wordsOf(redoLabel, t) })}
        disabled={redoLabel === null}
        onClick={() => void redo(session)}
      >
        <RedoIcon />
      </button>
    </div>
  );
}
