import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { Column } from "../shell/Column";
import { useSession, useT } from "../shell/context";
import { CloseIcon, NewFolderIcon, ResendIcon } from "../shell/icons";
import { createStore, useStore } from "../state/store";
import { fileQuestion, toggleFiles } from "./actions";
import { FilePreview } from "./FilePreview";
import { FileQuestions } from "./FileQuestions";
import { FileTree } from "./FileTree";
import { parentOf } from "./tree";
import styles from "./files.module.css";

/** The width that the person gave the drawer, in pixels; null while it takes what it needs. */
const chosenWidth = createStore<number | null>(null);
const LEAST_PX = 220;
const STEP_PX = 32;

/** The column at the left: the workspace's folder as a tree, and a look into one of its files. */
export function FilesDrawer() {
  const session = useSession();
  const open = useStore(session.ui, (ui) => ui.filesOpen);
  return open ? <Drawer /> : null;
}

function Drawer() {
  const session = useSession();
  const t = useT();
  const { files } = session;
  const workspaceId = useStore(session.canvas, (state) => state?.workspace.id ?? null);
  const online = useStore(session.connection, (state) => state.phase === "online");
  const shown = useStore(files.shown, (known) => known);
  const width = useStore(chosenWidth, (known) => known);
  const root = useStore(files.tree, (tree) => tree.folders.get(""));
  const box = useRef<HTMLElement>(null);

  useEffect(() => {
    if (workspaceId === null || !online) return;
    files.enter(workspaceId);
    return () => files.leave();
  }, [files, workspaceId, online]);

  return (
    <Column
      name="files"
      box={box}
      className={`${styles["drawer"]} files`}
      aria-label={t("files.title")}
      data-wide={shown !== null || undefined}
      style={width === null ? undefined : { width }}
    >
      <div className={styles["columns"]}>
        <div className={styles["side"]}>
          <header className={styles["head"]}>
            <h2>{t("files.title")}</h2>
            <button
              type="button"
              className="icon-btn"
              aria-label={t("files.newFolder")}
              title={t("files.newFolder")}
              disabled={!online || root?.phase !== "ready"}
              onClick={() => fileQuestion.set({ kind: "folder", parent: folderAt(files.chosen.get()) })}
            >
              <NewFolderIcon />
            </button>
            <button
              type="button"
              className="icon-btn"
              aria-label={t("files.refresh")}
              title={t("files.refresh")}
              disabled={!online}
              onClick={() => files.refresh()}
            >
              <ResendIcon size={14} />
            </button>
            <button
              type="button"
              className="icon-btn"
              aria-label={t("files.close")}
              title={`${t("files.close")} (F)`}
              onClick={() => toggleFiles(session)}
            >
              <CloseIcon />
            </button>
          </header>
          {root?.phase === "failed" ? (
            <div className={styles["trouble"]} role="alert">
              <h3>{t("files.failed")}</h3>
              <p>{root.message}</p>
              <button type="button" className="btn" disabled={!online} onClick={() => files.refresh()}>
                {t("failed.again")}
              </button>
            </div>
          ) : (
            <FileTree />
          )}
        </div>
        {shown === null ? null : <FilePreview key={shown.turn} shown={shown} />}
      </div>
      <Edge drawer={box} />
      <FileQuestions />
    </Column>
  );

  function folderAt(path: string | null): string {
    if (path === null) return "";
    const above = files.tree.get().folders.get(parentOf(path));
    const entry = above?.phase === "ready" ? above.entries.find((known) => known.path === path) : undefined;
    return entry?.type === "directory" ? path : parentOf(path);
  }
}

/** The edge that makes the drawer wider or narrower, with the pointer or the arrow keys. */
function Edge({ drawer }: { drawer: RefObject<HTMLElement | null> }) {
  const t = useT();
  const width = useStore(chosenWidth, (known) => known);
  const most = () => Math.round(window.innerWidth * 0.7);
  const set = (wanted: number) => chosenWidth.set(Math.max(LEAST_PX, Math.min(most(), Math.round(wanted))));
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? STEP_PX : event.key === "ArrowLeft" ? -STEP_PX : 0;
    if (by === 0) return;
    event.preventDefault();
    set((drawer.current?.offsetWidth ?? LEAST_PX) + by);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = drawer.current?.getBoundingClientRect();
    if (box === undefined) return;
    // On very large screens the drawer is drawn larger, and its own pixels with it.
    const scale = box.width / (drawer.current?.offsetWidth ?? 0) || 1;
    set((event.clientX - box.left) / scale);
  };
  return (
    <div
      className={styles["edge"]}
      role="separator"
      aria-orientation="vertical"
      aria-label={t("files.width")}
      aria-valuenow={width ?? drawer.current?.offsetWidth ?? LEAST_PX}
      aria-valuemin={LEAST_PX}
      aria-valuemax={most()}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onDoubleClick={() => chosenWidth.set(null)}
    />
  );
}
