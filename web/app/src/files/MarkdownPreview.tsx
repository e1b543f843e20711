import { useMemo, type MouseEvent } from "react";
import markdownStyles from "../cards/note/note.module.css";
import { useSession } from "../shell/context";
import { fileHtml } from "./markdownFile";
import { parentOf } from "./tree";
import styles from "./files.module.css";

/** A Markdown file rendered; its links to files of the workspace open them here. What `fileHtml` gives is safe: see there. */
export default function MarkdownPreview({ path, text }: { path: string; text: string }) {
  const session = useSession();
  const html = useMemo(() => ({ __html: fileHtml(text, parentOf(path)) }), [text, path]);
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[data-file]") : null;
    const file = link?.dataset["file"];
    if (link === null || file === undefined) return;
    event.preventDefault();
    const line = Number(link.dataset["line"] ?? 0);
    session.files.open(line > 0 ? { path: file, line } : { path: file });
  };
  return (
    <div className={styles["reading"]} role="document" aria-label={path} tabIndex={0}>
      <div className={markdownStyles["markdown"]} onClick={follow} dangerouslySetInnerHTML={html} />
    </div>
  );
}
