import { has, SessionError, WORKSPACE_TRASH_DIR, type FileEntry } from "@cardloom/protocol/session";
import { useEffect, useState } from "react";
import { failureOf, type Failure } from "../connection/failure";
import { useBackend, useDesk } from "./context";
import { folderNews } from "./model/folderNews";
import { readTrash, type Discarded } from "./model/trash";

interface Found {
  readonly entries: readonly (FileEntry | Discarded)[] | null;
  readonly failure: Failure | null;
}

/** The entries of a folder, read again whenever something in the workspace changes; `turn` counts that. */
export function useFolder(backend: string, folder: string, workspace: string) {
  const { wire } = useDesk();
  const { capabilities } = useBackend(backend);
  const [found, setFound] = useState<Found>({ entries: null, failure: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let left = false;
    const show = (entries: Found["entries"], failure: Failure | null) => {
      if (!left) setFound({ entries, failure });
    };
    const list = (path: string) => wire.call<FileEntry[]>(backend, "files", { path });
    (folder === WORKSPACE_TRASH_DIR ? readTrash(list) : list(folder))
      // The trash has a button of its own.
      .then((entries) => show(entries.filter((entry) => entry.path !== WORKSPACE_TRASH_DIR), null))
      .catch((error: unknown) => {
        // There is no trash before something was deleted.
        const isNone = folder === WORKSPACE_TRASH_DIR && error instanceof SessionError && error.code === "not_found";
        show(isNone ? [] : null, isNone ? null : failureOf(error));
      });
    return () => {
      left = true;
    };
  }, [wire, backend, folder, workspace, turn]);

  const watched = has(capabilities, "workspace.files.watch");
  const changed = () => setTurn((known) => known + 1);
  useEffect(() => {
    if (!watched) return;
    return folderNews(wire, backend, changed);
  }, [wire, backend, watched, workspace]);
  return { ...found, turn, changed };
}
