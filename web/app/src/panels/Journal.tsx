import { useCallback, useEffect, useRef, useState } from "react";
import { resend } from "../actions/arrows";
import { isFailure } from "../connection/failure";
import { FileRefLink } from "../files/FileRefLink";
import { fileRefIn, fileRefOf, type FileRef } from "../files/fileRef";
import { shortType } from "../ports/families";
import { reasonOf, toldOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import { ResendIcon } from "../shell/icons";
import { useStore } from "../state/store";
import type { ArrowActivityEvent, JournalEntry } from "../wire/records";
import { moment, size, unbroken } from "./format";
import { useNow } from "./useNow";

const PAGE = 30;
const REFRESH_MS = 250;

interface Filter {
  arrowId?: string;
  cardId?: string;
}

type Loaded =
  | { phase: "loading" }
  | { phase: "failed"; message: string }
  | { phase: "ready"; entries: readonly JournalEntry[]; more: boolean };

/** What passed, newest first; it grows at the top while one looks. */
export function Journal({ arrowId, cardId }: Filter) {
  const session = useSession();
  const t = useT();
  const now = useNow(60_000);
  const { loaded, loadMore } = useJournal({ ...(arrowId && { arrowId }), ...(cardId && { cardId }) });
  return (
    <section className="journal" aria-label={t("journal.title")}>
      <h3>{t("journal.title")}</h3>
      {loaded.phase === "loading" ? <div className="loading-lines" role="status" aria-label={t("app.loading")} /> : null}
      {loaded.phase === "failed" ? <p className="notice tone-danger">{loaded.message}</p> : null}
      {loaded.phase === "ready" ? (
        <>
          {loaded.entries.length === 0 ? <p className="muted">{t("journal.empty")}</p> : null}
          <ol>
            {loaded.entries.map((entry) => (
              <Entry key={entry.id} entry={entry} between={arrowId === undefined} now={now} />
            ))}
          </ol>
          {loaded.more ? (
            <button type="button" className="btn" disabled={!session.online} onClick={loadMore}>
              {t("journal.more")}
            </button>
          ) : null}
        </>
      ) : null}
    </section>
  );
}

function useJournal(filter: Filter): { loaded: Loaded; loadMore: () => void } {
  const session = useSession();
  const { arrowId, cardId } = filter;
  const [loaded, setLoaded] = useState<Loaded>({ phase: "loading" });
  const online = useStore(session.connection, (state) => state.phase === "online");
  const fetchPage = useCallback(
    (beforeId?: number) => {
      const workspaceId = session.workspaceId;
      const which = { ...(arrowId && { arrowId }), ...(cardId && { cardId }), ...(beforeId && { beforeId }) };
      return session.client.call("journal.list", { workspaceId, ...which, limit: PAGE });
    },
    [session, arrowId, cardId],
  );
  const refresh = useCallback(async () => {
    try {
      const { entries, more } = await fetchPage();
      setLoaded((before) => mergeNewest(before, entries, more));
    } catch (error) {
      if (isFailure(error, "UNAVAILABLE")) return;
      setLoaded({ phase: "failed", message: reasonOf(session.t, error) });
    }
  }, [session, fetchPage]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  useEffect(() => {
    if (!online) return;
    const soon = (delayMs = REFRESH_MS) => {
      timer.current ??= setTimeout(() => {
        timer.current = null;
        void refresh();
      }, delayMs);
    };
    soon(0);
    const stop = session.client.on("arrow.activity", (event: ArrowActivityEvent) => {
      if (arrowId === undefined || event.arrows.some((beat) => beat.arrowId === arrowId)) soon();
    });
    return () => {
      stop();
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    };
  }, [session, refresh, arrowId, online]);

  const loadMore = useCallback(() => {
    if (loaded.phase !== "ready") return;
    const last = loaded.entries.at(-1);
    if (last === undefined) return;
    fetchPage(last.id)
      .then(({ entries, more }) => setLoaded((before) => addOlder(before, last.id, entries, more)))
      .catch((error: unknown) => session.report("fail.journal", error));
  }, [session, fetchPage, loaded]);
  return { loaded, loadMore };
}

/** The newest page put before what is already shown; what lies between is reloaded when too much came at once. */
function mergeNewest(before: Loaded, entries: readonly JournalEntry[], more: boolean): Loaded {
  const [newest, oldest] = [entries[0], entries.at(-1)];
  if (before.phase !== "ready" || newest === undefined || oldest === undefined) return { phase: "ready", entries, more };
  const overtaken = (before.entries[0]?.id ?? 0) > newest.id;
  if (overtaken) return before;
  const older = before.entries.filter((entry) => entry.id < oldest.id);
  const joined = before.entries.some((entry) => entry.id >= oldest.id);
  if (!joined || older.length === 0) return { phase: "ready", entries, more };
  return { phase: "ready", entries: [...entries, ...older], more: before.more };
}

/** A page of entries before `lastId` put below what is shown, unless that ends elsewhere by now. */
function addOlder(before: Loaded, lastId: number, entries: readonly JournalEntry[], more: boolean): Loaded {
  if (before.phase !== "ready" || before.entries.at(-1)?.id !== lastId) return before;
  return { phase: "ready", entries: [...before.entries, ...entries], more };
}

function Entry({ entry, between, now }: { entry: JournalEntry; between: boolean; now: number }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const [open, setOpen] = useState(false);
  const cards = session.canvas.get()?.cards;
  const nameOf = (id: string | null) => (id === "owner" ? t("journal.owner") : ((id && cards?.get(id)?.name) ?? t("journal.removed")));
  const fileRef = fileRefIn(entry.type, entry.preview);
  const trouble = entry.outcome === "refused" || entry.outcome === "dropped" || entry.outcome === "loop";
  const facts = [
    moment(entry.atMs, now, language),
    ...(between ? [`${nameOf(entry.from)} → ${nameOf(entry.to)}`] : []),
    shortType(entry.type),
    ...(entry.outcome === "accepted" ? [] : [t(`outcome.${entry.outcome}`)]),
    unbroken(size(entry.sizeBytes, t)),
    unbroken(t("journal.chain", { chain: entry.chain.slice(0, 4), hop: entry.hop })),
  ];
  return (
    <li className={trouble ? "entry is-trouble" : "entry"}>
      <button type="button" className="entry-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="entry-facts">{facts.join("\u00a0· ")}</span>
        {entry.message === null ? null : (
          <span className="entry-message">
            {entry.code} {toldOf(t, entry.message)}
          </span>
        )}
        <code>{entry.preview}</code>
      </button>
      {fileRef === null ? null : <FileRefLink fileRef={fileRef} />}
      {open ? (
        <>
          <EntryBody entry={entry} />
          {entry.arrowId !== null && entry.bodyKept ? (
            <button type="button" className="btn" onClick={() => void resend(session, entry.arrowId ?? "", entry.id)}>
              <ResendIcon size={13} /> {t("journal.resend")}
            </button>
          ) : null}
        </>
      ) : null}
    </li>
  );
}

function EntryBody({ entry }: { entry: JournalEntry }) {
  const session = useSession();
  const t = useT();
  const [text, setText] = useState<string | null>(null);
  // A long path was cut in the preview; here it is whole.
  const [fileRef, setFileRef] = useState<FileRef | null>(null);
  useEffect(() => {
    let wanted = true;
    session.client
      .call("journal.body", { entryId: entry.id })
      .then(({ body, head, sha256 }) => {
        if (!wanted) return;
        if (fileRefIn(entry.type, entry.preview) === null) setFileRef(fileRefOf(entry.type, body));
        if (body !== null || head === null) setText(typeof body === "string" ? body : JSON.stringify(body, null, 2));
        else setText(`${head}…\n\n${t("journal.headOnly", { sha256: sha256.slice(0, 16) })}`);
      })
      .catch((error: unknown) => {
        if (wanted) setText(reasonOf(t, error));
      });
    return () => {
      wanted = false;
    };
  }, [session, entry.id, entry.type, entry.preview, t]);
  return (
    <>
      {fileRef === null ? null : <FileRefLink fileRef={fileRef} />}
      <pre className="entry-body" tabIndex={0} aria-label={t("journal.body")}>
        {text ?? "…"}
      </pre>
    </>
  );
}
