import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useLayoutEffect, useRef } from "react";
import { textChange } from "./merge";
import styles from "./note.module.css";

export interface NoteEditorProps {
  /** The text to show. What others changed in it is brought in around the cursor. */
  text: string;
  label: string;
  placeholder: string;
  /** What the editor's panels say, by the words that it has built in. */
  phrases: Readonly<Record<string, string>>;
  onEdit(text: string): void;
  onLeave(): void;
  onBlur(): void;
}

/** Marks changes that came from outside, which are not this person's to undo. */
const fromOutside = Annotation.define<boolean>();

const looks = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "650", color: "var(--foreground)" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--link)" },
  { tag: tags.monospace, fontFamily: "var(--font-mono)", color: "var(--accent-soft-foreground)" },
  { tag: tags.quote, color: "var(--muted)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], color: "var(--muted)" },
]);

const frame = EditorView.theme({
  "&": { height: "100%", color: "var(--field-foreground)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", fontSize: "12px", lineHeight: "1.6" },
  ".cm-content": { padding: "10px 4px", caretColor: "var(--foreground)" },
  ".cm-line": { padding: "0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--foreground)", borderLeftWidth: "1.5px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 28%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--warning-soft)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)" },
  ".cm-placeholder": { color: "var(--field-placeholder)" },
  ".cm-panels": {
    backgroundColor: "var(--surface-secondary)",
    color: "var(--foreground)",
    borderColor: "var(--separator)",
  },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--separator)" },
  ".cm-panel.cm-search, .cm-panel.cm-gotoLine": {
    display: "flex",
    flexWrap: "wrap",
    gap: "6px",
    alignItems: "center",
    padding: "8px 34px 8px 10px",
    fontSize: "12px",
  },
  // Its lines break where there is no more room, not where the editor would have it.
  ".cm-panel.cm-search br": { display: "none" },
  ".cm-panel.cm-search :is(input, button, label)": { margin: "0" },
  ".cm-panel.cm-search label": { display: "inline-flex", gap: "5px", alignItems: "center", fontSize: "12px" },
  ".cm-panel.cm-search input[type=checkbox]": { width: "14px", height: "14px", accentColor: "var(--accent)" },
  ".cm-textfield": {
    flex: "1 1 130px",
    minWidth: "0",
    height: "26px",
    padding: "0 8px",
    border: "1px solid var(--field-border)",
    borderRadius: "var(--field-radius)",
    backgroundColor: "var(--field-background)",
    color: "var(--field-foreground)",
    fontSize: "12px",
  },
  ".cm-textfield:focus-visible": { borderColor: "var(--focus)", outline: "3px solid var(--accent-soft)", outlineOffset: "0" },
  ".cm-button": {
    height: "26px",
    padding: "0 9px",
    border: "1px solid var(--border-secondary)",
    borderRadius: "var(--field-radius)",
    backgroundImage: "none",
    backgroundColor: "var(--surface)",
    color: "var(--foreground)",
    fontSize: "12px",
    cursor: "pointer",
  },
  ".cm-button:hover, .cm-button:active": { backgroundImage: "none", backgroundColor: "var(--surface-tertiary)" },
  ".cm-panel.cm-search [name=close], .cm-panel .cm-dialog-close": {
    top: "8px",
    right: "8px",
    width: "26px",
    height: "26px",
    borderRadius: "var(--field-radius)",
    color: "var(--muted)",
    fontSize: "18px",
    lineHeight: "1",
    cursor: "pointer",
  },
  ".cm-panel.cm-search [name=close]:hover": { backgroundColor: "var(--surface-tertiary)", color: "var(--foreground)" },
});

/** The Markdown editor; loaded when first needed. It keeps its own history of what was typed. */
export default function NoteEditor(props: NoteEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  // Before the page is painted: no key may find the focus nowhere, between the field that stood here and this editor.
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const { text, label, placeholder: hint, phrases } = latest.current;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: text,
        selection: { anchor: text.length },
        extensions: [
          history(),
          drawSelection(),
          EditorView.lineWrapping,
          markdown({ base: markdownLanguage }),
          syntaxHighlighting(looks),
          search({ top: true }),
          highlightSelectionMatches(),
          placeholder(hint),
          EditorState.phrases.of(phrases),
          frame,
          EditorView.contentAttributes.of({ "aria-label": label }),
          keymap.of([...searchKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          keymap.of([{ key: "Escape", run: () => (latest.current.onLeave(), true) }]),
          EditorView.updateListener.of((update) => {
            const outside = update.transactions.some((each) => each.annotation(fromOutside) === true);
            if (update.docChanged && !outside) latest.current.onEdit(update.state.doc.toString());
          }),
          EditorView.domEventHandlers({ blur: () => latest.current.onBlur() }),
        ],
      }),
    });
    view.current = made;
    made.focus();
    return () => {
      made.destroy();
      view.current = null;
    };
  }, []);

  const { text } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const change = textChange(editor.state.doc.toString(), text);
    if (change === null) return;
    editor.dispatch({
      changes: change,
      annotations: [fromOutside.of(true), Transaction.addToHistory.of(false)],
    });
  }, [text]);

  return (
    <div
      ref={host}
      className={`${styles.editor ?? ""} nodrag nopan nowheel`}
      onKeyDown={(event) => event.stopPropagation()}
    />
  );
}
