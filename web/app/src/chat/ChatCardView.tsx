import { has, hasSessions } from "@cardloom/protocol/session";
import type { CardBodyProps } from "../cards/contract";
import { reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { useStore } from "../state/store";
import { ChevronIcon, MoreIcon, OutsideIcon, PlusIcon } from "../shell/icons";
import { MenuButton } from "../shell/Menu";
import type { ChatCard } from "../wire/records";
import { backendTitle } from "./backendWords";
import { ChatView } from "./ChatView";
import { useAttempt, useBackend, useConversation, useDesk } from "./context";
import type { BackendEntry } from "./model/desk";
import { titleOf } from "./SessionList";
import styles from "./page.module.css";

const SHOWN_SESSIONS = 30;

/** The chat of a card: its session, or the choice of one. */
export default function ChatCardView({ card, api }: CardBodyProps<ChatCard>) {
  const { t } = api;
  const desk = useDesk();
  const attempt = useAttempt();
  const backends = useStore(desk.backends, (known) => known);
  const backend = card.content.backend ?? backends?.[0]?.id ?? null;
  const { sessionId } = card.content;
  const conversation = useConversation(backend ?? "", backend === null ? null : sessionId);
  const choose = (fields: { backend?: string | null; sessionId?: string | null }) =>
    attempt(() => api.call("chat.edit", { cardId: card.id, ...fields }));

  if (backend === null) return null;
  if (sessionId === null) {
    return <Choice backend={backend} backends={backends ?? []} onChoose={(fields) => void choose(fields)} title={card.name} />;
  }
  const address = `/chat?${new URLSearchParams({ backend, session: sessionId }).toString()}`;
  return (
    <div className={`${styles["card"] ?? ""} nodrag`} onKeyDown={keepTyping}>
      <span className={styles["cardTools"]}>
        <a className="icon-btn" href={address} aria-label={t("chat.card.page")} title={t("chat.card.page")}>
          <OutsideIcon size={14} />
        </a>
        <MenuButton
          className="icon-btn"
          align="end"
          label={t("chat.more")}
          entries={[{ id: "change", label: t("chat.card.change"), run: () => void choose({ sessionId: null }) }]}
        >
          <MoreIcon size={14} />
        </MenuButton>
      </span>
      {conversation === null ? null : (
        <ChatView narrow conversation={conversation} show={(id) => void choose(id === null ? { sessionId: null } : { backend, sessionId: id })} />
      )}
    </div>
  );
}

/** Letters that are typed into a chat are no short cuts of the canvas. */
function keepTyping(event: React.KeyboardEvent): void {
  if (event.target instanceof HTMLElement && event.target.closest("textarea, input, [role=log]") !== null && event.key !== "Escape") {
    event.stopPropagation();
  }
}

interface ChoiceProps {
  backend: string;
  backends: readonly BackendEntry[];
  title: string;
  onChoose(fields: { backend?: string; sessionId?: string }): void;
}

function Choice({ backend, backends, title, onChoose }: ChoiceProps) {
  const desk = useDesk();
  const attempt = useAttempt();
  const { sessions, capabilities, failure } = useBackend(backend);
  const t = useT();
  const chosen = backends.find((one) => one.id === backend);
  const create = () =>
    attempt(async () => {
      const made = await desk.create(backend, has(capabilities, "rename") ? { title } : {});
      onChoose({ backend, sessionId: made.id });
    });
  return (
    <div className={`${styles["cardChoice"] ?? ""} nowheel nodrag`}>
      <h3>{t("chat.card.choose")}</h3>
      <p className="muted">{t(capabilities === null || hasSessions(capabilities, "create") ? "chat.card.text" : chosen?.kind === "canvas" ? "backends.noAgents" : "backends.elsewhere")}</p>
      {backends.length > 1 ? (
        <MenuButton
          label={t("chat.backend")}
          entries={backends.map((one) => ({
            id: one.id,
            label: backendTitle(one, t),
            checked: one.id === backend,
            run: () => onChoose({ backend: one.id }),
          }))}
        >
          <span>{chosen === undefined ? backend : backendTitle(chosen, t)}</span>
          <ChevronIcon size={11} />
        </MenuButton>
      ) : null}
      {failure === null ? null : <p className="notice tone-danger">{reasonOf(t, failure)}</p>}
      {capabilities !== null && hasSessions(capabilities, "create") ? (
        <button type="button" className="btn is-primary" data-enter="click" onClick={() => void create()}>
          <PlusIcon size={13} /> {t("chat.new")}
        </button>
      ) : null}
      <ul>
        {sessions?.slice(0, SHOWN_SESSIONS).map((session) => (
          <li key={session.id}>
            <button type="button" className={styles["sessionName"]} onClick={() => onChoose({ backend, sessionId: session.id })}>
              <span>{titleOf(session, t("chat.untitled"))}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
