import { useState } from "react";
import { removeWorkspace } from "../actions/workspaces";
import { toldOf } from "../i18n/reasonOf";
import { useStore } from "../state/store";
import { useSession, useT } from "./context";
import { FolderIcon, PlusIcon, WarningIcon } from "./icons";
import { WorkspaceForm } from "./WorkspaceForm";

/** No workspace is open: choose one of those there are, or make one. */
export function NoWorkspace() {
  const session = useSession();
  const t = useT();
  const workspaces = useStore(session.app, (app) => app.workspaces);
  const [creating, setCreating] = useState(false);
  return (
    <div className="place">
      <h1>{t("empty.welcome")}</h1>
      <p className="muted">{t("empty.workspaceText")}</p>
      {workspaces.length === 0 ? null : (
        <ul className="place-list" aria-label={t("workspace.list")}>
          {workspaces.map((workspace) => (
            <li key={workspace.id}>
              <button type="button" className="place-item" onClick={() => void session.show(workspace.id)}>
                {workspace.problem === null ? <FolderIcon size={18} /> : <WarningIcon size={18} />}
                <span>
                  <b>{workspace.name}</b>
                  <small className="muted">{workspace.problem === null ? workspace.path : toldOf(t, workspace.problem)}</small>
                </span>
                <small className="muted">{t("count.cards", { count: workspace.cards })}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
      <button type="button" className="btn is-primary is-large" onClick={() => setCreating(true)}>
        <PlusIcon size={14} /> {t("workspace.create")}
      </button>
      {creating ? <WorkspaceForm workspace={null} onClose={() => setCreating(false)} /> : null}
    </div>
  );
}

/** The workspace could not be opened: what is wrong, and the three ways on. */
export function FailedWorkspace({ workspaceId, message }: { workspaceId: string; message: string }) {
  const session = useSession();
  const t = useT();
  const workspace = useStore(session.app, (app) => app.workspaces.find((known) => known.id === workspaceId));
  const [editing, setEditing] = useState(false);
  return (
    <div className="place" role="alert">
      <WarningIcon size={30} />
      <h1>{t("failed.title", { name: workspace?.name ?? "" })}</h1>
      <p>{message}</p>
      {workspace === undefined ? null : (
        <p className="muted">
          <code>{workspace.path}</code>
        </p>
      )}
      <p className="muted">{t("failed.what")}</p>
      <div className="buttons">
        <button type="button" className="btn is-primary" onClick={() => void session.show(workspaceId)}>
          {t("failed.again")}
        </button>
        {workspace === undefined ? null : (
          <>
            <button type="button" className="btn" onClick={() => setEditing(true)}>
              {t("workspace.edit")}
            </button>
            <button type="button" className="btn" onClick={() => void removeWorkspace(session, workspaceId)}>
              {t("workspace.remove")}
            </button>
          </>
        )}
      </div>
      {editing && workspace !== undefined ? <WorkspaceForm workspace={workspace} onClose={() => setEditing(false)} /> : null}
    </div>
  );
}

/** An empty canvas says how to begin; clicks go through to the canvas. */
export function EmptyCanvas() {
  const t = useT();
  return (
    <div className="hint">
      <h2>{t("empty.title")}</h2>
      <ul>
        <li>
          <b>{t("add.title")}</b> {t("empty.add")}
        </li>
        <li>
          <kbd>Ctrl K</kbd> {t("empty.palette")}
        </li>
        <li>{t("empty.arrows")}</li>
      </ul>
    </div>
  );
}

export function LoadingPlace() {
  const t = useT();
  return (
    <div className="place" role="status">
      <i className="spinner is-large" />
      <p className="muted">{t("app.loading")}</p>
    </div>
  );
}
