import { has } from "@cardloom/protocol/session";
import { lazy, Suspense, useEffect, useState } from "react";
import { Banner } from "../shell/Banner";
import { ConnectionPill } from "../shell/ConnectionPill";
import { useT } from "../shell/context";
import { ChevronIcon, FolderIcon, LeftIcon, PlusIcon, SlidersIcon } from "../shell/icons";
import { LookMenus } from "../shell/LookMenus";
import { MenuButton } from "../shell/Menu";
import { useStore } from "../state/store";
import { ChatView } from "./ChatView";
import { useAttempt, useBackend, useConversation, useDesk } from "./context";
import { SessionList } from "./SessionList";
import styles from "./page.module.css";

const EngineForm = lazy(() => import("./EngineForm"));
const FilesPanel = lazy(() => import("./FilesPanel"));

/** Which backend and session the address names, so that a reload and a bookmark come back to them. */
function namedPlace(): { backend: string | null; sessionId: string | null } {
  const query = new URLSearchParams(location.search);
  return { backend: query.get("backend"), sessionId: query.get("session") };
}

function nameInAddress(backend: string, sessionId: string | null): void {
  const query = new URLSearchParams({ backend, ...(sessionId === null ? {} : { session: sessionId }) });
  history.replaceState(null, "", `${location.pathname}?${query.toString()}`);
}

/** Chats on a page of their own: the sessions, one of them, and the files it works with. */
export function ChatPage() {
  const t = useT();
  const desk = useDesk();
  const backends = useStore(desk.backends, (known) => known);
  const [named] = useState(namedPlace);
  const [chosen, setChosen] = useState(named.backend);
  const backend = backends?.find((one) => one.id === chosen)?.id ?? backends?.[0]?.id ?? null;
  if (backend === null) {
    return (
      <>
        <ChatBar backend={null} filesOpen={false} onBackend={setChosen} onFiles={() => undefined} onEngine={() => undefined} />
        <Banner />
        <main className={styles["centre"]} role="status">
          {backends === null ? <i className="spinner is-large" /> : <p className="muted">{t("chat.noBackends")}</p>}
        </main>
      </>
    );
  }
  const sessionId = named.backend === backend ? named.sessionId : null;
  return <Chats key={backend} backend={backend} first={sessionId} onBackend={setChosen} />;
}

function Chats({ backend, first, onBackend }: { backend: string; first: string | null; onBackend(id: string): void }) {
  const t = useT();
  const desk = useDesk();
  const attempt = useAttempt();
  const { capabilities, sessions, models } = useBackend(backend);
  const entry = useStore(desk.backends, (known) => known?.find((one) => one.id === backend));
  const [picked, setPicked] = useState<string | null>(first);
  const [filesOpen, setFilesOpen] = useState(false);
  const [engineOpen, setEngineOpen] = useState(false);
  const shown = picked ?? sessions?.[0]?.id ?? null;
  const conversation = useConversation(backend, shown);
  const isEngine = entry?.kind === "engine";
  const lacksModel = isEngine && models !== null && models.length === 0;

  useEffect(() => nameInAddress(backend, shown), [backend, shown]);
  const show = (sessionId: string | null) => {
    setPicked(sessionId);
    if (sessionId !== null && sessions?.some((session) => session.id === sessionId) !== true) {
      desk.readSessions(backend).catch(() => undefined);
    }
  };
  return (
    <>
      <ChatBar
        backend={backend}
        filesOpen={filesOpen}
        onBackend={onBackend}
        onFiles={() => setFilesOpen(!filesOpen)}
        onEngine={() => setEngineOpen(true)}
      />
      <Banner />
      <div className={styles["page"]}>
        <SessionList backend={backend} shown={shown} show={show} />
        <main className={styles["main"]}>
          {lacksModel ? <NoModels onConnect={() => setEngineOpen(true)} /> : null}
          {conversation !== null ? (
            <ChatView key={conversation.sessionId} conversation={conversation} show={show} />
          ) : shown === null && sessions !== null ? (
            <div className={styles["centre"]}>
              <h1>{t("chat.welcome")}</h1>
              <p className="muted">{t("chat.welcomeText")}</p>
              <button
                type="button"
                className="btn is-primary is-large"
                onClick={() => void attempt(async () => show((await desk.create(backend)).id))}
              >
                <PlusIcon size={14} /> {t("chat.new")}
              </button>
            </div>
          ) : null}
        </main>
        {filesOpen && has(capabilities, "workspace.files") ? (
          <Suspense fallback={null}>
            <FilesPanel backend={backend} onClose={() => setFilesOpen(false)} />
          </Suspense>
        ) : null}
      </div>
      {engineOpen ? (
        <Suspense fallback={null}>
          <EngineForm onClose={() => setEngineOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Nothing can answer yet: say so before a line is typed for nothing. */
function NoModels({ onConnect }: { onConnect(): void }) {
  const t = useT();
  return (
    <div className={`notice tone-warning ${styles["noModels"] ?? ""}`} role="status">
      <span>{t("chat.lacksModel")}</span>
      <button type="button" className="btn is-primary" onClick={onConnect}>
        {t("chat.connectModel")}
      </button>
    </div>
  );
}

interface ChatBarProps {
  backend: string | null;
  filesOpen: boolean;
  onBackend(id: string): void;
  onFiles(): void;
  onEngine(): void;
}

function ChatBar({ backend, filesOpen, onBackend, onFiles, onEngine }: ChatBarProps) {
  const t = useT();
  const desk = useDesk();
  const backends = useStore(desk.backends, (known) => known);
  const entry = backends?.find((one) => one.id === backend);
  return (
    <header className="topbar">
      <span className="brand">
        <img src="/mark.svg" alt="" width="20" height="20" />
        {t("app.name")}
      </span>
      <a className={`pill ${styles["link"] ?? ""}`} href="/" aria-label={t("chat.toCanvas")} title={t("chat.toCanvas")}>
        <LeftIcon size={13} /> {t("chat.canvas")}
      </a>
      {backends === null || backends.length === 0 ? null : (
        <MenuButton
          label={t("chat.backend")}
          entries={backends.map((one) => ({
            id: one.id,
            label: one.title,
            description: one.kind,
            checked: one.id === backend,
            run: () => onBackend(one.id),
          }))}
        >
          <span>{entry?.title ?? t("chat.backend")}</span>
          <ChevronIcon size={11} />
        </MenuButton>
      )}
      {entry?.kind === "engine" ? (
        <button type="button" className="icon-btn" aria-label={t("chat.engine")} title={t("chat.engine")} onClick={onEngine}>
          <SlidersIcon />
        </button>
      ) : null}
      <span className="spring" />
      <ConnectionPill />
      {backend === null ? null : <FilesToggle backend={backend} open={filesOpen} onToggle={onFiles} />}
      <LookMenus />
    </header>
  );
}

function FilesToggle({ backend, open, onToggle }: { backend: string; open: boolean; onToggle(): void }) {
  const t = useT();
  const { capabilities } = useBackend(backend);
  if (!has(capabilities, "workspace.files")) return null;
  return (
    <button type="button" className="icon-btn" aria-label={t("files.toggle")} title={t("files.toggle")} aria-pressed={open} onClick={onToggle}>
      <FolderIcon />
    </button>
  );
}
