import { updateWorkspace } from "../actions/workspaces";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import { BudgetSection } from "../usage/BudgetSection";
import { Journal } from "./Journal";
import { Row } from "./Row";

/** Nothing selected: the workspace itself and all that passed in it. */
export function WorkspacePanel() {
  const session = useSession();
  const t = useT();
  const workspace = useStore(session.canvas, (state) => state?.workspace ?? null);
  const cards = useStore(session.canvas, (state) => state?.cards.size ?? 0);
  const arrows = useStore(session.canvas, (state) => state?.arrows.size ?? 0);
  if (workspace === null) return null;
  return (
    <>
      <h2 className="panel-title">{workspace.name}</h2>
      <p className="panel-sub">
        <code title={workspace.path}>{workspace.path}</code>
      </p>
      <dl className="rows">
        <Row label={t("panel.cards")}>{cards}</Row>
        <Row label={t("panel.arrows")}>{arrows}</Row>
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={workspace.strict}
          onChange={(event) => {
            void updateWorkspace(session, workspace.id, { strict: event.target.checked }).then((problem) => {
              if (problem !== null) session.toast(problem, "danger");
            });
          }}
        />
        <span>
          {t("workspace.strict")}
          <small className="muted">{t("workspace.strictHint")}</small>
        </span>
      </label>
      <BudgetSection />
      <Journal />
    </>
  );
}
