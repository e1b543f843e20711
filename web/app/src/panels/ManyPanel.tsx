import { duplicateCards } from "../actions/cards";
import { askAndRemove } from "../canvas/removing";
import { useSession, useT } from "../shell/context";
import { CopyIcon, TrashIcon } from "../shell/icons";
import { useStore } from "../state/store";

/** Several things selected: how many, and what can be done with all of them. */
export function ManyPanel() {
  const session = useSession();
  const t = useT();
  const selection = useStore(session.ui, (ui) => ui.selection);
  const { cardIds, arrowIds } = selection;
  return (
    <>
      <h2 className="panel-title">{t("panel.selected")}</h2>
      <p className="panel-sub">
        {[
          ...(cardIds.length > 0 ? [t("count.cards", { count: cardIds.length })] : []),
          ...(arrowIds.length > 0 ? [t("count.arrows", { count: arrowIds.length })] : []),
        ].join(" · ")}
      </p>
      <div className="buttons">
        <button
          type="button"
          className="btn"
          disabled={cardIds.length === 0}
          onClick={() => void duplicateCards(session, cardIds)}
        >
          <CopyIcon size={13} /> {t("card.duplicate")}
        </button>
        <button type="button" className="btn is-danger" onClick={() => askAndRemove(session, selection)}>
          <TrashIcon size={13} /> {t("card.remove")}
        </button>
      </div>
    </>
  );
}
