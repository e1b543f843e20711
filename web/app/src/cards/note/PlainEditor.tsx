import { useLayoutEffect, useRef } from "react";
import type { NoteEditorProps } from "./NoteEditor";
import styles from "./note.module.css";

/**
 * A plain field in the place of the Markdown editor: while that is on its way, so that no key is taken for the canvas's,
 * and where it can not be had.
 */
export function PlainEditor({ text, label, placeholder, onEdit, onLeave, onBlur }: NoteEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const made = field.current;
    made?.focus();
    made?.setSelectionRange(made.value.length, made.value.length);
  }, []);
  return (
    <textarea
      ref={field}
      className={`${styles.plain ?? ""} ${styles.typing ?? ""} nodrag nopan nowheel`}
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => onEdit(event.target.value)}
      onBlur={onBlur}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" && !event.nativeEvent.isComposing) onLeave();
      }}
    />
  );
}
