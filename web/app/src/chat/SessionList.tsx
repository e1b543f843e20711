import { has, hasSessions, type SessionInfo } from "@cardloom/protocol/session";
import { useMemo, useState, type KeyboardEvent } from "react";
import { reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { MoreIcon, PlusIcon, SearchIcon } from "../shell/icons";
import { MenuButton, type MenuEntry } from "../shell/Menu";
import { Problem } from "../shell/Problem";
import { useVirtualRows } from "../files/useVirtualRows";
import { useAttempt, useBackend, useDesk } from "./context";
import { foundSessions } from "./model/desk";
import { RemovalQuestion } from "./RemovalQuestion";
import { draftKey, drafts } from "./model/drafts";
import styles from "./page.module.css";

const ROW_PX = 46;

interface SessionListProps {
  backend: string;
  shown: string | null;
  show(sessionId: string | null): void;
}

/** The sessions of a backend: find, make, rename, fork and delete them. */
export function SessionList({ backend, shown, show }: SessionListProps) {
  const t = useT();
  const attempt = useAttempt();
  const desk = useDesk();
  const { sessions, cursor, running, capabilities, failure } = useBackend(backend);
  const [words, setWords] = useState("");
  const [renaming, setRenaming] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<SessionInfo | null>(null);
  const found = useMemo(() => foundSessions(sessions ?? [], words), [sessions, words]);
  const { box, from, to, onScroll, show: bring } = useVirtualRows<HTMLUListElement>(found.length, ROW_PX);
  const create = () => attempt(async () => show((await desk.create(backend)).id));

  const entriesOf = (session: SessionInfo): MenuEntry[] => [
    ...(has(capabilities, "rename") ? [{ id: "rename", label: t("chat.rename"), run: () => setRenaming(session.id) }] : []),
    ...(has(capabilities, "fork")
      ? [
          {
            id: "fork",
            label: t("chat.forkSession"),
            run: () =>
              void attempt(async () => {
                const made = await desk.wire.call<SessionInfo>(backend, "fork", { sessionId: session.id });
                await desk.readSessions(backend);
                show(made.id);
              }),
          },
        ]
      : []),
    ...(hasSessions(capabilities, "delete")
      ? [{ id: "delete", label: t("chat.deleteSession"), tone: "danger" as const, run: () => setDeleting(session) }]
      : []),
  ];
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    const at = found.findIndex((session) => session.id === shown);
    const next = Math.max(0, Math.min(found.length - 1, at + by));
    const session = found[next];
    if (session === undefined) return;
    bring(next);
    show(session.id);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[aria-current="true"]')?.focus());
  };

  return (
    <nav className={styles["sessions"]} aria-label={t("chat.sessions")}>
      <div className={styles["sessionsHead"]}>
        <label className={styles["search"]}>
          <SearchIcon size={13} />
          <input type="search" aria-label={t("chat.search")} placeholder={t("chat.search")} value={words} onChange={(event) => setWords(event.target.value)} />
        </label>
        {capabilities !== null && hasSessions(capabilities, "create") ? (
          <button type="button" className="btn is-primary" title={t("chat.new")} onClick={() => void create()}>
            <PlusIcon size={13} /> {t("chat.new")}
          </button>
        ) : null}
      </div>
      <Problem text={failure === null ? null : reasonOf(t, failure)} />
      {sessions !== null && found.length === 0 ? (
        <p className={`muted ${styles["none"] ?? ""}`}>{t(words === "" ? "chat.noSessions" : "chat.nothingFound")}</p>
      ) : null}
      <ul ref={box} className={styles["sessionRows"]} onScroll={onScroll} onKeyDown={onKeyDown}>
        <li aria-hidden="true" style={{ height: from * ROW_PX }} />
        {found.slice(from, to).map((session) => (
          <li key={session.id} className={styles["session"]} style={{ height: ROW_PX }} data-shown={session.id === shown || undefined}>
            {renaming === session.id ? (
              <Renaming
                session={session}
                onDone={(title) => {
                  setRenaming(null);
                  if (title !== null) void attempt(() => desk.rename(backend, session.id, title));
                }}
              />
            ) : (
              <button type="button" className={styles["sessionName"]} aria-current={session.id === shown} onClick={() => show(session.id)}>
                <span>
                  {running.has(session.id) ? <i className="dot tone-accent is-busy" role="img" aria-label={t("chat.working")} /> : null}
                  {titleOf(session, t("chat.untitled"))}
                </span>
                <small>{lineOf(session, t)}</small>
              </button>
            )}
            {["rename", "fork"].some((name) => has(capabilities, name)) || hasSessions(capabilities, "delete") ? (
              <MenuButton className="icon-btn" align="end" label={t("chat.sessionMore", { name: titleOf(session, t("chat.untitled")) })} entries={entriesOf(session)}>
                <MoreIcon size={14} />
              </MenuButton>
            ) : null}
          </li>
        ))}
        <li aria-hidden="true" style={{ height: Math.max(0, found.length - to) * ROW_PX }} />
        {cursor === null ? null : (
          <li>
            <button type="button" className="btn" onClick={() => void attempt(() => desk.readMoreSessions(backend))}>
              {t("chat.moreSessions")}
            </button>
          </li>
        )}
      </ul>
      {deleting === null ? null : (
        <RemovalQuestion
          title={t("chat.deleteTitle", { name: titleOf(deleting, t("chat.untitled")) })}
          text={t("chat.deleteText")}
          yes={t("chat.deleteYes")}
          onNo={() => setDeleting(null)}
          onYes={() => {
            setDeleting(null);
            if (deleting.id === shown) show(null);
            void attempt(() => desk.remove(backend, deleting.id)).then((isGone) => {
              if (isGone) drafts.forget(draftKey(backend, deleting.id));
            });
          }}
        />
      )}
    </nav>
  );
}

function Renaming({ session, onDone }: { session: SessionInfo; onDone(title: string | null): void }) {
  const t = useT();
  const [title, setTitle] = useState(session.title ?? "");
  const finish = () => onDone(title.trim() === "" || title === session.title ? null : title.trim());
  return (
    <input
      autoFocus
      className={styles["renaming"]}
      aria-label={t("chat.rename")}
      value={title}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") finish();
        else if (event.key === "Escape") onDone(null);
      }}
    />
  );
}

export function titleOf(session: SessionInfo, untitled: string): string {
  return session.title ?? session.botName ?? untitled;
}

function lineOf(session: SessionInfo, t: ReturnType<typeof useT>): string {
  const count = session.messageCount === undefined ? null : t("chat.count", { count: session.messageCount });
  const changed = session.updatedAt ?? session.createdAt;
  const at = changed === undefined ? Number.NaN : Date.parse(changed);
  const when = Number.isNaN(at) ? null : new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  return [when, count].filter((words) => words !== null).join(" · ");
}
