import { derivedText, type Message } from "@cardloom/protocol/session";
import { useState, type KeyboardEvent } from "react";
import { useT } from "../shell/context";
import { useAttempt, usePlace } from "./context";
import styles from "./forms.module.css";

/** The text of a message in a field. What was typed stays when it cannot be saved. */
export function EditMessage({ message, onDone }: { message: Message; onDone(): void }) {
  const t = useT();
  const attempt = useAttempt();
  const { conversation } = usePlace();
  const [text, setText] = useState(() => derivedText(message));
  const [busy, setBusy] = useState(false);

  const save = async () => {
    setBusy(true);
    const saved = await attempt(() => conversation.edit(message, text));
    setBusy(false);
    if (saved) onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") onDone();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles["editing"]}>
      <textarea
        autoFocus
        dir="auto"
        aria-label={t("chat.editText")}
        value={text}
        rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="buttons">
        <button type="button" className="btn is-primary" disabled={busy} onClick={() => void save()}>
          {t("app.save")}
        </button>
        <button type="button" className="btn" onClick={onDone}>
          {t("app.cancel")}
        </button>
      </div>
    </div>
  );
}
