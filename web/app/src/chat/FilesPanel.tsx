import { has, isTrashPath, parentFilePath, type FileContent, type FileEntry } from "@cardloom/protocol/session";
import { useEffect, useState } from "react";
import { useT } from "../shell/context";
import { ChevronIcon, CloseIcon, FileIcon, FolderIcon, PencilIcon, TrashIcon } from "../shell/icons";
import { useAttempt, useBackend, useDesk } from "./context";
import { Code } from "./Rendered";
import { folderNews } from "./model/folderNews";
import { reasonOf } from "./model/conversation";
import styles from "./files.module.css";

const TRASH = ".nr-trash";

/** The workspace of a backend, folder by folder, with a look into its files; it changes as the folder does. */
export default function FilesPanel({ backend, onClose }: { backend: string; onClose(): void }) {
  const t = useT();
  const { workspace, workspaces, capabilities } = useBackend(backend);
  const attempt = useAttempt();
  const desk = useDesk();
  const [folder, setFolder] = useState("");
  const [file, setFile] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const { entries, failure, turn } = useFolder(backend, folder, workspace?.id ?? "");
  const canWrite = has(capabilities, "workspace.files.write");
  const call = (name: string, params: object) => attempt(() => desk.wire.call(backend, name, params));
  const rename = (entry: FileEntry, name: string | null) => {
    setRenaming(null);
    if (name === null || name === "" || name === entry.name) return;
    const to = [parentFilePath(entry.path), name].filter((part) => part !== "").join("/");
    void call("renameFile", { from: entry.path, to });
  };
  return (
    <aside className={styles["files"]} aria-label={t("files.title")}>
      <header>
        {(workspaces?.length ?? 0) > 1 ? (
          <select
            aria-label={t("chat.workspace")}
            value={workspace?.id ?? ""}
            onChange={(event) => {
              setFolder("");
              setFile(null);
              void attempt(() => desk.switchWorkspace(backend, event.target.value));
            }}
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
        <button type="button" className="icon-btn" aria-label={t("chat.trash")} title={t("chat.trash")} aria-pressed={isTrashPath(folder)} onClick={() => setFolder(isTrashPath(folder) ? "" : TRASH)}>
          <TrashIcon size={14} />
        </button>
        <button type="button" className="icon-btn" aria-label={t("files.close")} title={t("files.close")} onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      {folder === "" ? null : (
        <button type="button" className={styles["up"]} onClick={() => setFolder(parentFilePath(folder))}>
          <ChevronIcon size={12} /> <code>{folder}</code>
        </button>
      )}
      {failure === null ? null : <p className="muted">{isTrashPath(folder) ? t("chat.trashEmpty") : failure}</p>}
      <ul className={styles["entries"]}>
        {entries?.map((entry) => (
          <li key={entry.path} data-ignored={entry.ignored || undefined} data-shown={entry.path === file || undefined}>
            {renaming === entry.path ? (
              <NewName name={entry.name} onDone={(name) => rename(entry, name)} />
            ) : (
              <button type="button" onClick={() => (entry.type === "dir" ? setFolder(entry.path) : setFile(entry.path))}>
                {entry.type === "dir" ? <FolderIcon size={14} /> : <FileIcon size={14} />}
                <span>{entry.name}</span>
                <small>{entry.type === "dir" ? "" : sizeOf(entry.size)}</small>
              </button>
            )}
            {canWrite ? (
              <>
                <button type="button" className="icon-btn" aria-label={t("chat.renameNamed", { name: entry.name })} title={t("chat.rename")} onClick={() => setRenaming(entry.path)}>
                  <PencilIcon size={12} />
                </button>
                <button
                  type="button"
                  className="icon-btn"
                  aria-label={t(isTrashPath(entry.path) ? "chat.deleteNamed" : "chat.trashNamed", { name: entry.name })}
                  title={t(isTrashPath(entry.path) ? "chat.delete" : "chat.toTrash")}
                  onClick={() => void call("deleteFile", { path: entry.path })}
                >
                  <TrashIcon size={12} />
                </button>
              </>
            ) : null}
          </li>
        ))}
        {entries?.length === 0 ? <li className="muted">{t("files.empty")}</li> : null}
      </ul>
      {file === null ? null : <Look key={file} backend={backend} path={file} turn={turn} onClose={() => setFile(null)} />}
    </aside>
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

/** The entries of a folder, read again whenever something in the workspace changes near it. */
function useFolder(backend: string, folder: string, workspace: string) {
  const { wire } = useDesk();
  const { capabilities } = useBackend(backend);
  const [entries, setEntries] = useState<readonly FileEntry[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let left = false;
    const show = (found: readonly FileEntry[] | null, problem: string | null) => {
      if (left) return;
      setEntries(found);
      setFailure(problem);
    };
    wire
      .call<FileEntry[]>(backend, "files", { path: folder })
      .then((found) => show(found, null))
      .catch((error: unknown) => show(null, reasonOf(error)));
    return () => {
      left = true;
    };
  }, [wire, backend, folder, workspace, turn]);

  const watched = has(capabilities, "workspace.files.watch");
  useEffect(() => {
    if (!watched) return;
    return folderNews(wire, backend, () => setTurn((known) => known + 1));
  }, [wire, backend, watched, workspace]);
  return { entries, failure, turn };
}

/** A look into one file. */
function Look({ backend, path, turn, onClose }: { backend: string; path: string; turn: number; onClose(): void }) {
  const t = useT();
  const { wire } = useDesk();
  const [content, setContent] = useState<FileContent | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let left = false;
    wire
      .call<FileContent>(backend, "readFile", { path })
      .then((found) => {
        if (!left) setContent(found);
      })
      .catch((error: unknown) => {
        if (!left) setFailure(reasonOf(error));
      });
    return () => {
      left = true;
    };
  }, [wire, backend, path, turn]);
  const isPicture = content?.encoding === "base64" && /^image\/(?:png|jpeg|gif|webp)$/.test(content.mime ?? "");
  return (
    <section className={styles["look"]} aria-label={path}>
      <header>
        <code>{path}</code>
        <span className="spring" />
        <button type="button" className="icon-btn" aria-label={t("app.close")} title={t("app.close")} onClick={onClose}>
          <CloseIcon size={12} />
        </button>
      </header>
      {failure === null ? null : <p className="muted">{failure}</p>}
      {content?.encoding === "utf8" ? <Code text={content.content} language={path.slice(path.lastIndexOf(".") + 1)} /> : null}
      {isPicture ? <img src={`data:${content.mime ?? ""};base64,${content.content}`} alt={path} /> : null}
      {content?.encoding === "base64" && !isPicture ? <p className="muted">{t("chat.noLook")}</p> : null}
    </section>
  );
}

function sizeOf(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}
