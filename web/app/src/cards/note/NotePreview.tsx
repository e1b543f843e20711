import { useMemo } from "react";
import { noteHtml } from "./markdown";
import styles from "./note.module.css";

/** A note's text rendered. What `noteHtml` gives is safe as it is: see there. */
export default function NotePreview({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: noteHtml(text) }), [text]);
  return <div className={styles.markdown} dangerouslySetInnerHTML={html} />;
}
