import { derivedText } from "@cardloom/protocol/session";
import { memo, useState, type ReactNode } from "react";
import { useT } from "../shell/context";
import { ChevronIcon, CopyIcon, MoreIcon, PencilIcon, ResendIcon } from "../shell/icons";
import { MenuButton, type MenuEntry } from "../shell/Menu";
import { useStore } from "../state/store";
import { useAttempt, useCan, usePlace } from "./context";
import { EditMessage } from "./EditMessage";
import { PartView } from "./parts/PartView";
import { firstWords } from "./model/conversation";
import type { Row } from "./model/rows";
import { RemovalQuestion } from "./RemovalQuestion";
import styles from "./thread.module.css";

interface MessageViewProps {
  row: Row;
  isLast: boolean;
  isWriting: boolean;
}

/** One message: who says it, its parts, and what can be done to it. */
export const MessageView = memo(function MessageView({ row, isLast, isWriting }: MessageViewProps) {
  const t = useT();
  const { message } = row;
  const [editing, setEditing] = useState(false);
  const disabled = message.flags?.disabled === true || message.flags?.hidden === true;
  return (
    <article
      className={styles["message"]}
      data-role={message.role}
      data-message={message.id}
      data-disabled={disabled || undefined}
      aria-label={whoSays(message.role, message.name, t)}
    >
      <header className={styles["who"]}>
        <b>{whoSays(message.role, message.name, t)}</b>
        {message.meta?.model === undefined ? null : <span>{message.meta.model}</span>}
        {disabled ? <span className="chip tone-warning">{t("chat.hidden")}</span> : null}
      </header>
      {editing ? (
        <EditMessage message={message} onDone={() => setEditing(false)} />
      ) : (
        <>
          <div className={styles["parts"]}>
            {message.parts.map((part, at) => (
              <PartView key={at} part={part} row={row} isWriting={isWriting && at === message.parts.length - 1} />
            ))}
            {isWriting && message.parts.length === 0 ? <i className={styles["caret"]} /> : null}
          </div>
          {isWriting ? null : <Tools row={row} isLast={isLast} onEdit={() => setEditing(true)} />}
        </>
      )}
    </article>
  );
});

function whoSays(role: string, name: string | undefined, t: ReturnType<typeof useT>): string {
  if (name !== undefined && name !== "") return name;
  switch (role) {
    case "user":
      return t("chat.you");
    case "assistant":
      return t("chat.assistant");
    case "system":
      return t("chat.system");
    case "tool":
      return t("chat.tool");
    default:
      return role;
  }
}

/** Swipes and what else can be done to a message, as far as the backend can do it. */
function Tools({ row, isLast, onEdit }: { row: Row; isLast: boolean; onEdit(): void }) {
  const t = useT();
  const can = useCan();
  const attempt = useAttempt();
  const { conversation, show } = usePlace();
  const busy = useStore(conversation.state, (state) => state.transcript.run?.status === "running");
  const { message } = row;
  const [deleting, setDeleting] = useState(false);
  const { swipes, id } = message;
  const text = derivedText(message);
  const disabled = message.flags?.disabled === true || message.flags?.hidden === true;

  const entries: MenuEntry[] = [];
  if (can("fork")) {
    const run = () => attempt(async () => show((await conversation.fork(id)).id));
    entries.push({ id: "fork", label: t("chat.fork"), disabled: busy, run: () => void run() });
  }
  if (can("edits.hide")) {
    const label = t(disabled ? "chat.unhide" : "chat.hide");
    entries.push({ id: "hide", label, disabled: busy, run: () => void attempt(() => conversation.hide(id, !disabled)) });
  }
  if (can("edits.delete")) {
    entries.push({ id: "delete", label: t("chat.deleteSession"), tone: "danger", disabled: busy, run: () => setDeleting(true) });
  }
  return (
    <footer className={styles["tools"]} data-last={isLast || undefined}>
      {swipes !== undefined && swipes.count > 1 && can("swipes") ? (
        <span className={styles["swipes"]} role="group" aria-label={t("chat.swipes")}>
          <Tool label={t("chat.swipePrevious")} disabled={busy || swipes.active === 0} onClick={() => void attempt(() => conversation.swipe(id, swipes.active - 1))}>
            <ChevronIcon />
          </Tool>
          <span>{t("chat.swipe", { active: swipes.active + 1, count: swipes.count })}</span>
          <Tool label={t("chat.swipeNext")} disabled={busy || swipes.active === swipes.count - 1} onClick={() => void attempt(() => conversation.swipe(id, swipes.active + 1))}>
            <ChevronIcon />
          </Tool>
        </span>
      ) : null}
      {text === "" ? null : (
        <Tool label={t("chat.copy")} onClick={() => void navigator.clipboard.writeText(text)}>
          <CopyIcon size={14} />
        </Tool>
      )}
      {can("edits.edit") && message.parts.some((part) => part.type === "text") ? (
        <Tool label={t("chat.edit")} disabled={busy} onClick={onEdit}>
          <PencilIcon size={14} />
        </Tool>
      ) : null}
      {message.role === "assistant" && isLast && can("swipes") && can("run") ? (
        <Tool label={t("chat.regenerate")} disabled={busy} onClick={() => void attempt(() => conversation.regenerate(id))}>
          <ResendIcon size={14} />
        </Tool>
      ) : null}
      {entries.length === 0 ? null : (
        <MenuButton className="icon-btn" label={t("chat.more")} entries={entries}>
          <MoreIcon size={14} />
        </MenuButton>
      )}
      {deleting ? (
        <RemovalQuestion
          title={t("chat.deleteMessageTitle")}
          text={t("chat.deleteMessageText", { text: firstWords(text) })}
          yes={t("chat.deleteYes")}
          onNo={() => setDeleting(false)}
          onYes={() => {
            setDeleting(false);
            void attempt(() => conversation.remove(id));
          }}
        />
      ) : null}
    </footer>
  );
}

interface ToolProps {
  label: string;
  disabled?: boolean;
  onClick(): void;
  children: ReactNode;
}

function Tool({ label, disabled = false, onClick, children }: ToolProps) {
  return (
    <button type="button" className="icon-btn" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      {children}
    </button>
  );
}
