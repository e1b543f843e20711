import { useEffect, useId, useMemo, useRef, type KeyboardEvent, type MouseEvent } from "react";
import { contextMenu } from "../canvas/contextMenu";
import { useSession, useT } from "../shell/context";
import { ChevronIcon, FileIcon, FolderIcon, PictureIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { copyPath, entryMenu, fileQuestion } from "./actions";
import { carryFile } from "./carrying";
import { imageType } from "./content";
import { rowsOf, rowTyped, stepFrom, type EntryRow, type NoteRow } from "./tree";
import { useVirtualRows } from "./useVirtualRows";
import styles from "./files.module.css";

const ROW_PX = 25;
const INDENT_PX = 14;
/** Deeper folders stand no further right, or their names would have no room. */
const MOST_INDENTS = 12;
const TYPING_MS = 700;

/** The folder of the workspace as a tree. Only the rows on the screen are drawn, so that its size does not matter. */
export function FileTree() {
  const session = useSession();
  const t = useT();
  const { files } = session;
  const name = useStore(session.canvas, (state) => state?.workspace.name ?? "");
  const limit = useStore(session.app, (app) => app.limits["fsListEntries"] ?? 5000);
  const tree = useStore(files.tree, (known) => known);
  const chosen = useStore(files.chosen, (path) => path);
  const opened = useStore(files.shown, (shown) => shown?.ref.path ?? null);
  const rows = useMemo(() => rowsOf(tree), [tree]);
  const index = rows.findIndex((row) => row.kind === "entry" && row.path === chosen);
  const { box, from, to, page, onScroll, show } = useVirtualRows<HTMLDivElement>(rows.length, ROW_PX);
  const id = useId();
  const typed = useRef({ text: "", atMs: 0 });
  const seen = useRef<string | null>(null);

  useEffect(() => {
    // A row chosen before its folder was read comes into view once it is there, and then stays where one scrolls it.
    if (index < 0 || seen.current === chosen) return;
    seen.current = chosen;
    show(index);
  }, [index, chosen, show]);

  const act = (row: EntryRow) => {
    files.chosen.set(row.path);
    if (!row.isFolder) files.open({ path: row.path });
    else if (row.isOpen) files.fold(row.path);
    else void files.unfold(row.path);
  };

  const openMenu = (row: EntryRow, at: { x: number; y: number }) => {
    files.chosen.set(row.path);
    const label = t("files.actions", { name: row.name });
    contextMenu.set({ label, at, entries: entryMenu(session, row.path, row.isFolder) });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[index];
    const entry = row?.kind === "entry" ? row : null;
    if (event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "c" || entry === null) return;
      void copyPath(session, entry.path);
    } else if (event.key === "Enter" || event.key === " ") {
      if (entry !== null) act(entry);
    } else if (event.key === "Delete") {
      if (entry !== null && session.online) fileQuestion.set({ kind: "trash", path: entry.path, isFolder: entry.isFolder });
    } else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      const place = document.getElementById(`${id}-${index}`)?.getBoundingClientRect();
      if (entry !== null && place !== undefined) openMenu(entry, { x: place.left + 24, y: place.bottom });
    } else if (event.key.length === 1) {
      const now = performance.now();
      const goesOn = now - typed.current.atMs < TYPING_MS;
      typed.current = { text: goesOn ? typed.current.text + event.key : event.key, atMs: now };
      const found = rowTyped(rows, chosen, typed.current.text);
      if (found !== null) files.chosen.set(found);
    } else {
      const step = stepFrom(rows, chosen, event.key, page);
      if (step === null) return;
      if ("go" in step) files.chosen.set(step.go);
      else if ("fold" in step) files.fold(step.fold);
      else void files.unfold(step.unfold);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={box}
      className={styles["tree"]}
      role="tree"
      tabIndex={0}
      aria-label={t("files.tree", { name })}
      aria-activedescendant={index >= from && index < to ? `${id}-${index}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
      onFocus={() => {
        const first = rows.find((row) => row.kind === "entry");
        if (chosen === null && first !== undefined) files.chosen.set(first.path);
      }}
    >
      <div style={{ height: rows.length * ROW_PX }} role="presentation">
        {rows.slice(from, to).map((row, offset) => {
          const place = { top: (from + offset) * ROW_PX, paddingLeft: 8 + Math.min(row.level - 1, MOST_INDENTS) * INDENT_PX };
          if (row.kind === "note") {
            return (
              <div key={`${row.path}/ ${row.note}`} className={styles["words"]} data-note={row.note} style={place} title={row.message}>
                {noteText(row)}
              </div>
            );
          }
          return (
            <div
              key={row.path}
              id={`${id}-${from + offset}`}
              className={styles["row"]}
              style={place}
              role="treeitem"
              aria-label={row.name}
              aria-level={row.level}
              aria-posinset={row.place}
              aria-setsize={row.siblings}
              aria-expanded={row.isFolder ? row.isOpen : undefined}
              aria-selected={row.path === chosen}
              data-opened={row.path === opened || undefined}
              title={row.path}
              onPointerDown={(event) => {
                if (event.button === 0 && !row.isFolder) carryFile(session, { path: row.path }, { x: event.clientX, y: event.clientY });
              }}
              onClick={() => act(row)}
              onContextMenu={(event: MouseEvent) => {
                event.preventDefault();
                openMenu(row, { x: event.clientX, y: event.clientY });
              }}
            >
              <RowIcon row={row} />
              <bdi>{row.name}</bdi>
            </div>
          );
        })}
      </div>
    </div>
  );

  function noteText(row: NoteRow): string {
    if (row.note === "loading") return t("files.loading");
    if (row.note === "failed") return row.message;
    if (row.note === "truncated") return t("files.truncated", { count: limit });
    return t(row.path === "" ? "files.emptyRoot" : "files.empty");
  }
}

function RowIcon({ row }: { row: EntryRow }) {
  if (row.isFolder) {
    return (
      <>
        <i className={styles["twist"]} data-open={row.isOpen || undefined}>
          <ChevronIcon size={12} />
        </i>
        <FolderIcon size={14} />
      </>
    );
  }
  return (
    <>
      <i className={styles["twist"]} />
      {imageType(row.path) === null ? <FileIcon size={14} /> : <PictureIcon size={14} />}
    </>
  );
}
