import { useState, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { PlusIcon } from "@heroicons/react/24/outline";
import styles from "./parts.module.css";

interface AddFieldProps {
  label: string;
  /** What the empty field shows; the label when not given. */
  hint?: string;
  maxChars: number;
  /** Resolves to false when the text was refused; it then stays in the field. */
  onAdd(text: string): Promise<boolean>;
  enter?: boolean;
}

/** A field that adds a row with Enter and stays ready for the next; several pasted lines become several rows. */
export function AddField({ label, hint = label, maxChars, onAdd, enter = false }: AddFieldProps) {
  const [text, setText] = useState("");

  async function add(lines: string[]) {
    setText("");
    const refused: string[] = [];
    for (const line of lines) {
      if (refused.length > 0 || !(await onAdd(line))) refused.push(line);
    }
    if (refused.length === 0) return;
    // At once, since a key pressed before the next drawing would bring the field's old text back over this one.
    flushSync(() => setText((typed) => [...refused, typed].filter((part) => part !== "").join("\n")));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape" && text === "") return;
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") setText("");
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    const lines = text.split("\n").map((line) => line.trim().slice(0, maxChars));
    void add(lines.filter((line) => line !== ""));
  }

  return (
    <label className={`${styles.addField ?? ""} nodrag nopan`}>
      <PlusIcon aria-hidden="true" />
      <textarea
        rows={Math.min(4, text.split("\n").length)}
        aria-label={label}
        placeholder={hint}
        value={text}
        data-enter={enter ? "focus" : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}
