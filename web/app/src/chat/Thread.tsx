import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { reasonOf, toldOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { ChevronIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { usePlace } from "./context";
import { MessageView } from "./MessageView";
import { isStop, rowsOf, type Row } from "./model/rows";
import type { Transcript } from "./model/transcript";
import contentStyles from "./content.module.css";
import styles from "./thread.module.css";

/** Nearer to the end than this, the thread goes along with what is added. */
const NEAR_END_PX = 80;
const GUESSED_ROW_PX = 120;

/** The messages; of a long history only those in sight are in the page. */
export function Thread({ transcript, sending }: { transcript: Transcript; sending: string | null }) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const kept = useRef<readonly Row[]>([]);
  const [follows, setFollows] = useState(true);
  const rows = useMemo(() => (kept.current = rowsOf(transcript.messages, kept.current)), [transcript.messages]);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing that it gives is remembered here
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => GUESSED_ROW_PX,
    getItemKey: (at) => rows[at]?.message.id ?? at,
    overscan: 6,
    paddingStart: 12,
  });

  const toEnd = useCallback(() => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, []);

  // Whoever says something looks at the end, wherever they were.
  const [said, setSaid] = useState(sending);
  if (said !== sending) {
    setSaid(sending);
    if (sending !== null) setFollows(true);
  }

  const height = virtual.getTotalSize();
  useLayoutEffect(() => {
    if (follows) toEnd();
  }, [follows, toEnd, height, rows.length, sending, transcript.run]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    // A person who scrolls up is left where they are; growing text alone is no scrolling.
    const turn = (event: WheelEvent) => {
      if (event.deltaY < 0) setFollows(false);
    };
    element.addEventListener("wheel", turn, { passive: true });
    // A taller box may hold all there is: then there is no end to go to.
    const watcher = new ResizeObserver(() => {
      if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX) setFollows(true);
    });
    watcher.observe(element);
    return () => {
      element.removeEventListener("wheel", turn);
      watcher.disconnect();
    };
  }, []);

  const lastTop = useRef(0);
  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    const wentUp = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    if (left < NEAR_END_PX) setFollows(true);
    else if (wentUp) setFollows(false);
  };

  // The browser's own way there is a long one, and ends where rows are measured while it goes on.
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const element = event.currentTarget;
    const isOwn = event.target === element || (event.target instanceof Element && event.target.closest("pre, input, textarea, select") === null);
    if (!isOwn || event.shiftKey || event.altKey || (event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault();
    if (event.key === "Home") {
      if (element.scrollHeight - element.clientHeight >= NEAR_END_PX) setFollows(false);
      element.scrollTop = 0;
    } else {
      setFollows(true);
      toEnd();
    }
  };

  const { run } = transcript;
  const items = virtual.getVirtualItems();
  return (
    <div className={styles["threadBox"]}>
      <div
        ref={box}
        className={`${styles["thread"] ?? ""} nowheel nodrag`}
        role="log"
        aria-label={t("chat.messages")}
        aria-busy={run?.status === "running"}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className={styles["rows"]} style={{ height }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className={styles["row"]}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <MessageView
                  row={row}
                  isLast={item.index === rows.length - 1}
                  isWriting={[row.message.id, ...row.absorbed].some((id) => run?.writing.has(id) === true)}
                />
              </div>
            );
          })}
        </div>
        {sending === null ? null : (
          <div className={styles["row"]} data-flow>
            <article className={styles["message"]} data-role="user" data-pending>
              <header className={styles["who"]}>
                <b>{t("chat.you")}</b>
              </header>
              <div className={contentStyles["plain"]}>{sending}</div>
            </article>
          </div>
        )}
        <RunState transcript={transcript} sending={sending !== null} />
      </div>
      {follows ? null : (
        <button
          type="button"
          className={`btn ${styles["toEnd"] ?? ""}`}
          onClick={() => {
            setFollows(true);
            toEnd();
          }}
        >
          <ChevronIcon /> {t("chat.toEnd")}
        </button>
      )}
    </div>
  );
}

/** What the run does or how it failed, below the messages. */
function RunState({ transcript, sending }: { transcript: Transcript; sending: boolean }) {
  const t = useT();
  const { run, messages } = transcript;
  const { conversation } = usePlace();
  // A backend that is away is told of above the field, with a way to ask it again.
  const away = useStore(conversation.state, (state) => state.failure);
  if (run === null) return sending ? <Waiting /> : null;
  const warnings = run.activities.filter((activity) => activity.kind === "warning" && (activity.text ?? "") !== "");
  const doing = run.status === "running" ? run.activities.findLast((activity) => activity.kind !== "warning") : undefined;
  const last = messages.at(-1)?.parts ?? [];
  const hasError = last.some((part) => part.type === "error");
  return (
    <div className={styles["runState"]} role="status">
      {warnings.map((activity, at) => (
        <p key={at} className="notice tone-warning">
          {toldOf(t, activity.text ?? "")}
        </p>
      ))}
      {run.status === "running" && run.asks.length === 0 ? <Waiting {...(doing?.text === undefined ? {} : { text: doing.text })} /> : null}
      {run.status === "cancelled" && !last.some(isStop) ? <p className="muted">{t("chat.cancelled")}</p> : null}
      {run.status === "error" && !hasError && run.error?.message !== away?.message ? (
        <p className="notice tone-danger">{run.error === undefined ? t("chat.failed") : reasonOf(t, run.error)}</p>
      ) : null}
    </div>
  );
}

function Waiting({ text }: { text?: string }) {
  const t = useT();
  return (
    <p className={styles["waiting"]}>
      <i className="spinner" /> {text === undefined ? t("chat.working") : toldOf(t, text)}
    </p>
  );
}
