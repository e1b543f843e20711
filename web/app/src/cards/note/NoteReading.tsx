import { lazy, useLayoutEffect, useRef, type KeyboardEvent } from "react";
import type { CardBodyProps } from "../contract";
import styles from "./note.module.css";

const NotePreview = lazy(() => import("./NotePreview"));

/** How near the end counts as the end, in pixels: zoomed pages have no whole ones. */
const nearPx = 4;

interface Properties {
  text: string;
  t: CardBodyProps["api"]["t"];
  onWrite(this: void): void;
}

/** A note to be read. Whoever has read to its end sees what comes after it. */
export function NoteReading({ text, t, onWrite }: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef({ text, height: 0, atEnd: false });

  useLayoutEffect(() => {
    const now = box.current;
    if (now === null) return;
    const { text: earlier, height, atEnd } = before.current;
    if (atEnd && text !== earlier && text.startsWith(earlier)) now.scrollTop = height - now.clientHeight / 2;
    before.current = { text, height: now.scrollHeight, atEnd: isAtEnd(now) };
  }, [text]);

  function onScroll() {
    if (box.current !== null) before.current.atEnd = isAtEnd(box.current);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.target !== event.currentTarget) return;
    event.preventDefault();
    event.stopPropagation();
    onWrite();
  }

  return (
    <div
      ref={box}
      className={`${styles.reading ?? ""} nowheel`}
      role="document"
      tabIndex={0}
      aria-label={t("note.reading")}
      onDoubleClick={onWrite}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      {text.trim() === "" ? <p className={styles.hint}>{t("note.hint")}</p> : <NotePreview text={text} />}
    </div>
  );
}

function isAtEnd(box: HTMLElement): boolean {
  return box.scrollTop + box.clientHeight >= box.scrollHeight - nearPx;
}
