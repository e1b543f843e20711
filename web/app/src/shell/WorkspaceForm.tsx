import { useState, type FormEvent } from "react";
import { createWorkspace, removeWorkspace, updateWorkspace } from "../actions/workspaces";
import type { ByTexts } from "../state/toasts";
import type { Workspace } from "../wire/records";
import { useSession, useT } from "./context";
import { Modal } from "./Modal";
import { DialogFoot } from "./DialogFoot";
import { Problem } from "./Problem";

interface WorkspaceFormProps {
  /** Null makes a new one. */
  workspace: Workspace | null;
  onClose(): void;
}

/** Name and folder of a workspace. A problem is said in the form, which keeps what was typed. */
export function WorkspaceForm({ workspace, onClose }: WorkspaceFormProps) {
  const session = useSession();
  const t = useT();
  const [name, setName] = useState(workspace?.name ?? "");
  const [path, setPath] = useState(workspace?.path ?? "");
  const [createFolder, setCreateFolder] = useState(false);
  const [problem, setProblem] = useState<ByTexts | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const wanted = { name: name.trim() || lastPart(path), path: path.trim() };
    const found =
      workspace === null
        ? await createWorkspace(session, { ...wanted, createFolder })
        : await updateWorkspace(session, workspace.id, changedOf(workspace, wanted));
    setBusy(false);
    setProblem(() => found);
    if (found === null) onClose();
  };

  return (
    <Modal title={t(workspace === null ? "workspace.createTitle" : "workspace.editTitle")} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label className="field">
          <span>{t("workspace.path")}</span>
          <input
            autoFocus
            required
            spellCheck={false}
            value={path}
            placeholder={t("workspace.pathExample")}
            onChange={(event) => setPath(event.target.value)}
          />
        </label>
        <label className="field">
          <span>{t("workspace.name")}</span>
          <input value={name} maxLength={120} placeholder={lastPart(path)} onChange={(event) => setName(event.target.value)} />
        </label>
        {workspace === null ? (
          <label className="check">
            <input type="checkbox" checked={createFolder} onChange={(event) => setCreateFolder(event.target.checked)} />
            <span>{t("workspace.createFolder")}</span>
          </label>
        ) : null}
        <Problem text={problem?.(t) ?? null} />
        <DialogFoot onCancel={onClose} disabled={busy || path.trim() === ""}>
          {t(workspace === null ? "workspace.createNow" : "app.save")}
        </DialogFoot>
      </form>
    </Modal>
  );
}

function changedOf(workspace: Workspace, wanted: { name: string; path: string }) {
  return {
    ...(wanted.name !== workspace.name && { name: wanted.name }),
    ...(wanted.path !== workspace.path && { path: wanted.path }),
  };
}

function lastPart(path: string): string {
  return path.trim().split(/[/\\]/).filter(Boolean).at(-1) ?? "";
}

export function RemoveWorkspace({ workspace, onClose }: { workspace: Workspace; onClose(): void }) {
  const session = useSession();
  const t = useT();
  return (
    <Modal title={t("workspace.removeTitle", { name: workspace.name })} onClose={onClose}>
      <p>{t("workspace.removeText", { count: workspace.cards })}</p>
      <p className="muted">{t("workspace.removeFolder", { path: workspace.path })}</p>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={onClose}>
          {t("app.cancel")}
        </button>
        <button
          type="button"
          className="btn is-danger is-solid"
          onClick={() => {
            onClose();
            void removeWorkspace(session, workspace.id);
          }}
        >
          {t("workspace.removeYes")}
        </button>
      </footer>
    </Modal>
  );
}
