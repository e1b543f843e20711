import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { EyeIcon, PencilSquareIcon } from "@heroicons/react/24/outline";
import type { NoteCard } from "../../wire/records";
import type { CardBodyProps, TextKey } from "../contract";
import { IconButton } from "../parts/IconButton";
import { NoteConflict } from "./NoteConflict";
import { NoteReading } from "./NoteReading";
import { PlainEditor } from "./PlainEditor";
import styles from "./note.module.css";
import { phrasesOf } from "./phrases";
import { holdNote, noteSession } from "./sessions";
import type { NoteState } from "./sync";

// With the server away there is no editor to be had; a note can be written all the same.
const NoteEditor = lazy(() => import("./NoteEditor").catch(() => ({ default: PlainEditor })));

const stateText: Record<NoteState["state"], TextKey | null> = {
  saved: null,
  dirty: null,
  saving: null,
  failed: "note.notSaved",
};

/** A Markdown note: read it rendered, double-click or press Enter to write, Escape to read again. */
export function NoteBody({ card, api }: CardBodyProps<NoteCard>) {
  const { t } = api;
  const [sync] = useState(() => noteSession(card, api));
  const note = useSyncExternalStore(sync.listen, sync.get);
  const [writing, setWriting] = useState(false);
  const toggle = useRef<HTMLSpanElement>(null);

  useEffect(() => holdNote(card.id, api), [card.id, api]);
  useEffect(() => {
    sync.receive({ revision: card.revision, text: card.content.text });
  }, [sync, card.revision, card.content.text]);

  function read() {
    sync.flush();
    setWriting(false);
    requestAnimationFrame(() => toggle.current?.querySelector("button")?.focus());
  }

  if (note.conflict !== null) {
    return <NoteConflict mine={note.text} theirs={note.conflict.text} t={t} onChoose={(choice) => sync.resolve(choice)} />;
  }
  const said = stateText[note.state];
  const editing = {
    text: note.text,
    label: t("note.text"),
    placeholder: t("note.write"),
    phrases: phrasesOf(t),
    onEdit: (text: string) => sync.edit(text),
    onLeave: read,
    onBlur: () => sync.flush(),
  };
  const plain = <pre className={`${styles.plain ?? ""} nowheel`}>{note.text}</pre>;
  return (
    <div className={styles.note} data-writing={writing || undefined}>
      <Suspense fallback={writing ? <PlainEditor {...editing} /> : plain}>
        {writing ? (
          <NoteEditor {...editing} />
        ) : (
          <NoteReading text={note.text} t={t} onWrite={() => setWriting(true)} />
        )}
      </Suspense>
      {said !== null && (
        <p role="status" className={styles.state}>
          {t(said)}
        </p>
      )}
      <span ref={toggle} className={styles.toggle}>
        {writing ? (
          <IconButton icon={EyeIcon} label={t("note.preview")} onClick={read} />
        ) : (
          <IconButton enter icon={PencilSquareIcon} label={t("note.edit")} onClick={() => setWriting(true)} />
        )}
      </span>
    </div>
  );
}
