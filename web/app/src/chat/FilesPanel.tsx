import { has, isTrashPath, parentFilePath, WORKSPACE_TRASH_DIR, type FileEntry } from "@cardloom/protocol/session";
import { useState } from "react";
import type { Translate } from "../i18n/catalogue";
import { reasonOf } from "../i18n/reasonOf";
import { size } from "../panels/format";
import { Column } from "../shell/Column";
import { useT } from "../shell/context";
import { ChevronIcon, CloseIcon, FileIcon, FolderIcon, PencilIcon, TrashIcon, UndoIcon } from "../shell/icons";
import { useAttempt, useBackend, useDesk } from "./context";
import { FileLook } from "./FileLook";
import { originOf, type Discarded } from "./model/trash";
import { RemovalQuestion } from "./RemovalQuestion";
import { useFolder } from "./useFolder";
import styles from "./files.module.css";

/** The workspace of a backend, folder by folder, with a look into its files; it changes as the folder does. */
export default function FilesPanel({ backend, onClose }: { backend: string; onClose(): void }) {
  const t = useT();
  const { workspace, workspaces, capabilities } = useBackend(backend);
  const attempt = useAttempt();
  const desk = useDesk();
  const [folder, setFolder] = useState("");
  const [file, setFile] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<FileEntry | null>(null);
  const [place, setPlace] = useState(workspace?.id);
  if (workspace?.id !== place) {
    setPlace(workspace?.id);
    setFolder("");
    setFile(null);
    setRenaming(null);
    setDeleting(null);
  }
  const { entries, failure, turn, changed } = useFolder(backend, folder, workspace?.id ?? "");
  const canWrite = has(capabilities, "workspace.files.write");
  const inTrash = isTrashPath(folder);
  // Not every backend tells of changes: what was done here is looked at in any case.
  const call = (name: string, params: object) => attempt(() => desk.wire.call(backend, name, params)).finally(changed);
  const rename = (entry: FileEntry, name: string | null) => {
    setRenaming(null);
    if (name === null || name === "" || name === entry.name) return;
    const to = [parentFilePath(entry.path), name].filter((part) => part !== "").join("/");
    void call("renameFile", { from: entry.path, to });
  };
  const restore = (entry: FileEntry) => {
    const to = originOf(entry.path);
    if (to === null) return;
    if (entry.path === file) setFile(null);
    void call("renameFile", { from: entry.path, to });
  };
  const discard = (entry: FileEntry) => {
    setDeleting(null);
    if (entry.path === file) setFile(null);
    void call("deleteFile", { path: entry.path });
  };
  return (
    <Column name="files" className={styles["files"]} aria-label={t("files.title")}>
      <header className="head-field">
        {(workspaces?.length ?? 0) > 1 ? (
          <select
            aria-label={t("chat.workspace")}
            value={workspace?.id ?? ""}
            onChange={(event) => void attempt(() => desk.switchWorkspace(backend, event.target.value))}
          >
            {workspaces?.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name ?? one.id}
              </option>
            ))}
          </select>
        ) : (
          <h2>{workspace?.name ?? t("files.title")}</h2>
        )}
        <span className="spring" />
        <button type="button" className="icon-btn" aria-label={t("chat.trash")} title={t("chat.trash")} aria-pressed={inTrash} onClick={() => setFolder(inTrash ? "" : WORKSPACE_TRASH_DIR)}>
          <TrashIcon size={14} />
        </button>
        <button type="button" className="icon-btn" aria-label={t("files.close")} title={t("files.close")} onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      {folder === "" ? null : (
        <button type="button" className={styles["up"]} onClick={() => setFolder(upFrom(folder))}>
          <ChevronIcon size={12} /> {inTrash ? <span>{t("chat.inTrash", { path: originOf(folder) ?? "" })}</span> : <code>{folder}</code>}
        </button>
      )}
      {failure === null ? null : <p className="muted">{reasonOf(t, failure)}</p>}
      <ul className={styles["entries"]}>
        {entries?.map((entry) => (
          <li key={entry.path} data-ignored={entry.ignored || undefined} data-shown={entry.path === file || undefined}>
            {renaming === entry.path ? (
              <NewName name={entry.name} onDone={(name) => rename(entry, name)} />
            ) : (
              <button type="button" onClick={() => (entry.type === "dir" ? setFolder(entry.path) : setFile(entry.path))}>
                {entry.type === "dir" ? <FolderIcon size={14} /> : <FileIcon size={14} />}
                <span>{entry.name}</span>
                <small>{detailOf(entry, t)}</small>
              </button>
            )}
            {canWrite ? (
              <>
                {inTrash ? (
                  <button type="button" className="icon-btn" aria-label={t("chat.restoreNamed", { name: entry.name })} title={t("chat.restore")} onClick={() => restore(entry)}>
                    <UndoIcon size={12} />
                  </button>
                ) : (
                  <button type="button" className="icon-btn" aria-label={t("chat.renameNamed", { name: entry.name })} title={t("chat.rename")} onClick={() => setRenaming(entry.path)}>
                    <PencilIcon size={12} />
                  </button>
                )}
                <button
                  type="button"
                  className="icon-btn"
                  aria-label={t(inTrash ? "chat.deleteNamed" : "chat.trashNamed", { name: entry.name })}
                  title={t(inTrash ? "chat.delete" : "chat.toTrash")}
                  onClick={() => (inTrash ? setDeleting(entry) : discard(entry))}
                >
                  <TrashIcon size={12} />
                </button>
              </>
            ) : null}
          </li>
        ))}
        {entries?.length === 0 ? <li className="muted">{t(folder === WORKSPACE_TRASH_DIR ? "chat.trashEmpty" : "files.empty")}</li> : null}
      </ul>
      {file === null ? null : (
        <FileLook
          key={`${workspace?.id ?? ""} ${file}`}
          backend={backend}
          workspace={workspace?.id ?? ""}
          path={file}
          turn={turn}
          canWrite={canWrite}
          onClose={() => setFile(null)}
        />
      )}
      {deleting === null ? null : (
        <RemovalQuestion
          title={t("chat.deleteTitle", { name: originOf(deleting.path) ?? deleting.name })}
          text={t("chat.deleteFileText")}
          yes={t("chat.deleteYes")}
          onNo={() => setDeleting(null)}
          onYes={() => discard(deleting)}
        />
      )}
    </Column>
  );
}

function NewName({ name, onDone }: { name: string; onDone(name: string | null): void }) {
  const t = useT();
  const [text, setText] = useState(name);
  return (
    <input
      autoFocus
      aria-label={t("chat.renameNamed", { name })}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onDone(null)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onDone(text.trim());
        else if (event.key === "Escape") onDone(null);
      }}
    />
  );
}

/** The folder above; above what was deleted at once is the trash, and above that the workspace. */
function upFrom(folder: string): string {
  const up = parentFilePath(folder);
  return isTrashPath(up) && originOf(up) === null ? WORKSPACE_TRASH_DIR : up;
}

function detailOf(entry: FileEntry | Discarded, t: Translate): string {
  if ("deletedAt" in entry && entry.deletedAt !== null) {
    return entry.deletedAt.toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });
  }
  return entry.type === "dir" || entry.size === undefined ? "" : size(entry.size, t);
}
