import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import styles from "./parts.module.css";

interface InlineEditorProps {
  value: string;
  label: string;
  maxChars: number;
  /** Called with trimmed text that differs from `value`; else `onLeave` alone follows. */
  onCommit(text: string): void;
  /** The field is about to go; `byKey` says that the keyboard did it and wants the focus back where it was. */
  onLeave(byKey: boolean): void;
}

/** A field in the place of a text: Enter or leaving keeps the change, Escape drops it. */
export function InlineEditor({ value, label, maxChars, onCommit, onLeave }: InlineEditorProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLTextAreaElement>(null);
  const over = useRef(false);

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = "0";
    element.style.height = `${String(element.scrollHeight)}px`;
  }, [text]);

  function leave(keep: boolean, byKey: boolean) {
    if (over.current) return;
    over.current = true;
    const wanted = text.trim();
    if (keep && wanted !== "" && wanted !== value) onCommit(wanted);
    onLeave(byKey);
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") leave(false, true);
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    leave(true, true);
  }

  return (
    <textarea
      ref={field}
      className={`${styles.inlineEditor ?? ""} nodrag nopan nowheel`}
      rows={1}
      aria-label={label}
      value={text}
      maxLength={maxChars}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => leave(true, false)}
    />
  );
}
