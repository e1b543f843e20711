import { has, hasSessions } from "@cardloom/protocol/session";
import { lazy, Suspense, useEffect, useState } from "react";
import { Banner } from "../shell/Banner";
import { ConnectionPill } from "../shell/ConnectionPill";
import { useT } from "../shell/context";
import { ChevronIcon, FolderIcon, LeftIcon, PlusIcon, SlidersIcon, WarningIcon } from "../shell/icons";
import { LookMenus } from "../shell/LookMenus";
import { MenuButton } from "../shell/Menu";
import { useStore } from "../state/store";
import { backendTitle, kindWords } from "./backendWords";
import { ChatView } from "./ChatView";
import { useAttempt, useBackend, useConversation, useDesk } from "./context";
import { SessionList } from "./SessionList";
import styles from "./page.module.css";

const BackendsDialog = lazy(() => import("./BackendsDialog"));
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
  const desk = useDesk();
  const backends = useStore(desk.backends, (known) => known);
  const [named] = useState(namedPlace);
  const [chosen, setChosen] = useState(named.backend);
  const [settings, setSettings] = useState<"backends" | "engine" | null>(null);
  // A backend that went is not silently taken for another: what was asked of it would be asked elsewhere.
  const backend = chosen === null ? (backends?.[0]?.id ?? null) : (backends?.find((one) => one.id === chosen)?.id ?? null);
  return (
    <>
      {backend === null ? (
        <>
          <ChatBar backend={null} filesOpen={false} onBackend={setChosen} onFiles={() => undefined} onSettings={setSettings} />
          <Banner />
          <main className={styles["centre"]} role="status">
            {backends === null ? <i className="spinner is-large" /> : <NoBackend name={chosen} onSetUp={() => setSettings("backends")} />}
          </main>
        </>
      ) : (
        <Chats key={backend} backend={backend} first={named.backend === backend ? named.sessionId : null} onBackend={setChosen} onSettings={setSettings} />
      )}
      <Suspense fallback={null}>
        {settings === "backends" ? <BackendsDialog onEngine={() => setSettings("engine")} onClose={() => setSettings(null)} /> : null}
        {settings === "engine" ? <EngineForm onClose={() => setSettings(null)} /> : null}
      </Suspense>
    </>
  );
}

function NoBackend({ name, onSetUp }: { name: string | null; onSetUp(): void }) {
  const t = useT();
  return (
    <>
      <WarningIcon size={26} />
      <p>{name === null ? t("chat.noBackends") : t("backends.gone", { name })}</p>
      {name === null ? null : <p className="muted">{t("backends.goneText")}</p>}
      <button type="button" className="btn is-primary" onClick={onSetUp}>
        {t("backends.setUp")}
      </button>
    </>
  );
}

interface ChatsProps {
  backend: string;
  first: string | null;
  onBackend(id: string): void;
  onSettings(which: "backends" | "engine"): void;
}

function Chats({ backend, first, onBackend, onSettings }: ChatsProps) {
  const t = useT();
  const desk = useDesk();
  const attempt = useAttempt();
  const { capabilities, sessions, models } = useBackend(backend);
  const entry = useStore(desk.backends, (known) => known?.find((one) => one.id === backend));
  const [picked, setPicked] = useState<string | null>(first);
  const [filesOpen, setFilesOpen] = useState(false);
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
        onSettings={onSettings}
      />
      <Banner />
      <div className={styles["page"]}>
        <SessionList backend={backend} shown={shown} show={show} />
        <main className={styles["main"]}>
          {lacksModel ? <NoModels onConnect={() => onSettings("engine")} /> : null}
          {conversation !== null ? (
            <ChatView key={conversation.sessionId} conversation={conversation} show={show} />
          ) : shown === null && sessions !== null && !hasSessions(capabilities, "create") ? (
            <div className={styles["centre"]}>
              <p className="muted">{t(entry?.kind === "canvas" ? "backends.noAgents" : "backends.elsewhere")}</p>
            </div>
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
  onSettings(which: "backends" | "engine"): void;
}

function ChatBar({ backend, filesOpen, onBackend, onFiles, onSettings }: ChatBarProps) {
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
      {backends === null ? null : (
        <MenuButton
          label={t("chat.backend")}
          entries={[
            ...backends.map((one) => ({
              id: one.id,
              label: backendTitle(one, t),
              ...(kindWords(one.kind, t) === backendTitle(one, t) ? {} : { description: kindWords(one.kind, t) }),
              checked: one.id === backend,
              run: () => onBackend(one.id),
            })),
            { id: "line", separator: true as const },
            { id: "set up", label: t("backends.setUp"), run: () => onSettings("backends") },
          ]}
        >
          <span>{entry === undefined ? t("chat.backend") : backendTitle(entry, t)}</span>
          <ChevronIcon size={11} />
        </MenuButton>
      )}
      {entry?.kind === "engine" ? (
        <button type="button" className="icon-btn" aria-label={t("chat.engine")} title={t("chat.engine")} onClick={() => onSettings("engine")}>
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
    <button
      type="button"
      className="icon-btn"
      aria-label={t("files.toggle")}
      title={t("files.toggle")}
      aria-pressed={open}
      data-toggles="files"
      onClick={onToggle}
    >
      <FolderIcon />
    </button>
  );
}
