import { useEffect } from "react";
import { useSession, useT } from "../shell/context";
import { MOST_CHARS_A_LINE } from "./content";
import { useVirtualRows } from "./useVirtualRows";
import styles from "./files.module.css";

const LINE_PX = 18;

interface TextPreviewProps {
  lines: readonly string[];
  label: string;
  line: number | null;
  /** Another number: bring the line into view once more. */
  turn: number;
}

/** A text with its line numbers; pressing a number marks the line. Only the lines on the screen are drawn. */
export function TextPreview({ lines, label, line, turn }: TextPreviewProps) {
  const session = useSession();
  const t = useT();
  const { box, from, to, onScroll, show } = useVirtualRows<HTMLDivElement>(lines.length, LINE_PX);
  const last = lines.length;
  useEffect(() => {
    if (line !== null) show(Math.min(line, last) - 1);
    // The line alone is no reason: one that was pressed is in view already.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [turn, last, show]);
  return (
    <div ref={box} className={styles["text"]} role="document" aria-label={label} tabIndex={0} onScroll={onScroll}>
      <div style={{ height: last * LINE_PX }}>
        <div
          className={styles["lines"]}
          style={{ transform: `translateY(${from * LINE_PX}px)`, ["--digits" as string]: String(last).length }}
        >
          {lines.slice(from, to).map((text, offset) => {
            const number = from + offset + 1;
            return (
              <div key={number} className={styles["line"]} aria-current={number === line || undefined}>
                <button
                  type="button"
                  tabIndex={-1}
                  aria-label={t("preview.line", { line: number })}
                  onClick={() => session.files.pickLine(number === line ? null : number)}
                >
                  {number}
                </button>
                <code>{text.length > MOST_CHARS_A_LINE ? `${text.slice(0, MOST_CHARS_A_LINE)}…` : text}</code>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
