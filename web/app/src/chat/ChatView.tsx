import { has } from "@cardloom/protocol/session";
import { lazy, Suspense, useState } from "react";
import { reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { WarningIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { Composer } from "./Composer";
import { PlaceProvider, useBackend, useDesk, type Place } from "./context";
import type { Conversation } from "./model/conversation";
import { ModelPicker, ProfilePicker } from "./Pickers";
import { Thread } from "./Thread";
import pageStyles from "./page.module.css";
import styles from "./thread.module.css";

const Asks = lazy(() => import("./Asks"));
const ProfilesDialog = lazy(() => import("./ProfilesDialog"));

interface ChatViewProps {
  conversation: Conversation;
  narrow?: boolean;
  show(sessionId: string | null): void;
}

/** A session to read and to write in: the same on the page of its own and in a card. */
export function ChatView({ conversation, narrow = false, show }: ChatViewProps) {
  const t = useT();
  const { backend } = conversation;
  const { capabilities } = useBackend(backend);
  const desk = useDesk();
  const isHere = useStore(desk.backends, (known) => known?.some((one) => one.id === backend));
  const state = useStore(conversation.state, (known) => known);
  const [editing, setEditing] = useState<"catalogue" | "inline" | null>(null);
  const place: Place = { backend, capabilities, conversation, narrow, show };
  const again = () => {
    void conversation.load();
    void desk.refresh();
  };
  if (state.phase === "loading") {
    return (
      <div className={pageStyles["centre"]} role="status">
        <i className="spinner is-large" />
      </div>
    );
  }
  if (state.phase !== "ready") {
    return (
      <div className={pageStyles["centre"]} role="alert">
        <WarningIcon size={26} />
        <p>{isHere === false ? t("backends.gone", { name: backend }) : state.phase === "gone" ? t("chat.gone") : reasonOf(t, state.failure)}</p>
        <div className="buttons">
          <button type="button" className="btn" onClick={again}>
            {t("failed.again")}
          </button>
          <button type="button" className="btn" onClick={() => show(null)}>
            {t("chat.another")}
          </button>
        </div>
      </div>
    );
  }
  return (
    <PlaceProvider value={place}>
      <section className={styles["view"]} data-chat data-narrow={narrow || undefined} aria-label={state.info?.title ?? t("chat.untitled")}>
        {state.transcript.messages.length === 0 && state.sending === null && state.transcript.run === null ? (
          <Beginning />
        ) : (
          <Thread key={conversation.sessionId} transcript={state.transcript} sending={state.sending} />
        )}
        <Suspense fallback={null}>
          <Asks />
        </Suspense>
        {state.failure === null ? null : (
          <p className={`notice tone-danger ${styles["away"] ?? ""}`} role="alert">
            <span>{reasonOf(t, state.failure)}</span>
            <button type="button" className="btn" onClick={again}>
              {t("failed.again")}
            </button>
          </p>
        )}
        {has(capabilities, "run") ? (
          <Composer key={`${backend} ${conversation.sessionId}`}>
            {has(capabilities, "models") ? <ModelPicker /> : null}
            {has(capabilities, "profiles") ? <ProfilePicker onEdit={setEditing} /> : null}
          </Composer>
        ) : (
          <p className={styles["readOnly"]}>{t("chat.readOnly")}</p>
        )}
        {/* Outside the field's form: a form of its own in there would send the line that is being written. */}
        {editing === null ? null : (
          <Suspense fallback={null}>
            <ProfilesDialog inline={editing === "inline"} onClose={() => setEditing(null)} />
          </Suspense>
        )}
      </section>
    </PlaceProvider>
  );
}

function Beginning() {
  const t = useT();
  return (
    <div className={pageStyles["centre"]}>
      <p className="muted">{t("chat.begin")}</p>
    </div>
  );
}
