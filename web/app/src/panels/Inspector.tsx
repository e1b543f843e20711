import { Column } from "../shell/Column";
import { useSession, useT } from "../shell/context";
import { CloseIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { ArrowPanel } from "./ArrowPanel";
import { CardPanel } from "./CardPanel";
import { ManyPanel } from "./ManyPanel";
import { WorkspacePanel } from "./WorkspacePanel";

/** The column at the right: what is selected, in detail. */
export function Inspector() {
  const session = useSession();
  const t = useT();
  const open = useStore(session.ui, (ui) => ui.inspectorOpen);
  if (!open) return null;
  return (
    <Column name="panel" className="panel" aria-label={t("panel.label")}>
      <button
        type="button"
        className="icon-btn panel-close"
        aria-label={t("panel.close")}
        title={`${t("panel.close")} (I)`}
        onClick={() => session.ui.update((ui) => ({ ...ui, inspectorOpen: false }))}
      >
        <CloseIcon />
      </button>
      <PanelContent />
    </Column>
  );
}

function PanelContent() {
  const session = useSession();
  const { cardIds, arrowIds } = useStore(session.ui, (ui) => ui.selection);
  const [cardId] = cardIds;
  const [arrowId] = arrowIds;
  if (cardIds.length + arrowIds.length > 1) return <ManyPanel />;
  if (cardId !== undefined) return <CardPanel key={cardId} cardId={cardId} />;
  if (arrowId !== undefined) return <ArrowPanel key={arrowId} arrowId={arrowId} />;
  return <WorkspacePanel />;
}
