import { has, type AnyPart } from "@cardloom/protocol/session";
import { useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode } from "react";
import { useT } from "../shell/context";
import { CloseIcon, ClipIcon, StopIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { useAttempt, useDesk, usePlace } from "./context";
import { attachmentOf, keepAttachment, type Attachment } from "./model/attachments";
import { draftKey, drafts } from "./model/drafts";
import { useTextHeight } from "./useTextHeight";
import styles from "./thread.module.css";

/**
 * The field to write in: Enter sends, Shift+Enter begins a line, Escape stops the answer. What is typed and attached
 * stays with its session until it is sent, also while another is shown and after the page was read anew.
 */
export function Composer({ children }: { children?: ReactNode }) {
  const t = useT();
  const attempt = useAttempt();
  const { wire } = useDesk();
  const { conversation, backend, capabilities } = usePlace();
  const key = draftKey(backend, conversation.sessionId);
  const [text, setText] = useState(() => drafts.of(key).text);
  const [attached, setAttached] = useState(() => drafts.of(key).files);
  const running = useStore(conversation.state, (state) => state.transcript.run?.status === "running");
  const sending = useStore(conversation.state, (state) => state.sending !== null);
  const field = useTextHeight(text);
  const picker = useRef<HTMLInputElement>(null);
  const canAttach = has(capabilities, "assets");

  const write = (value: string) => {
    setText(value);
    drafts.write(key, value);
  };
  const holdFiles = (change: (known: readonly Attachment[]) => readonly Attachment[]) => {
    const next = change(drafts.of(key).files);
    drafts.hold(key, next);
    setAttached(next);
  };

  const send = async () => {
    const line = text.trim();
    if ((line === "" && attached.length === 0) || running || sending) return;
    const { files } = drafts.take(key);
    setText("");
    setAttached([]);
    const sent = await attempt(async () => {
      const parts: AnyPart[] = [];
      for (const file of files) parts.push(await keepAttachment(wire, backend, conversation.sessionId, file));
      await conversation.send(line, parts);
      if (has(capabilities, "rename")) void conversation.nameAfter(line);
    });
    if (sent) {
      drafts.settle(key);
      return;
    }
    if (drafts.of(key).text === "") write(text);
    holdFiles((known) => [...files, ...known]);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape" && running) void attempt(() => conversation.cancel());
    else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) void send();
    else {
      if (event.key !== "Escape") event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const attach = async (files: readonly File[]) => {
    // One that cannot be read is told of, and the others come along all the same.
    for (const file of files) {
      await attempt(async () => {
        const found = await attachmentOf(file);
        holdFiles((known) => [...known, found]);
      });
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    if (!canAttach || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    void attach([...event.clipboardData.files]);
  };

  return (
    <form
      className={`${styles["composer"] ?? ""} nodrag`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {attached.length === 0 ? null : (
        <ul className={styles["attached"]} aria-label={t("chat.attached")}>
          {attached.map((file, at) => (
            <li key={at} className="chip tone-default">
              <span title={file.name}>{file.name}</span>
              <button
                type="button"
                aria-label={t("chat.detach", { name: file.name })}
                onClick={() => holdFiles((known) => known.filter((one) => one !== file))}
              >
                <CloseIcon size={10} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        data-enter=""
        dir="auto"
        className="nowheel"
        rows={1}
        aria-label={t("chat.write")}
        placeholder={t("chat.write")}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className={styles["composerFoot"]}>
        {canAttach ? (
          <>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              onChange={(event) => {
                void attach([...(event.target.files ?? [])]);
                event.target.value = "";
              }}
            />
            <button type="button" className="icon-btn" aria-label={t("chat.attach")} title={t("chat.attach")} onClick={() => picker.current?.click()}>
              <ClipIcon size={14} />
            </button>
          </>
        ) : null}
        {children}
        <span className="spring" />
        {running && has(capabilities, "run.cancel") ? (
          <button type="button" className="btn" title={`${t("chat.stop")} (Esc)`} onClick={() => void attempt(() => conversation.cancel())}>
            <StopIcon size={12} /> {t("chat.stop")}
          </button>
        ) : (
          <button type="submit" className="btn is-primary" disabled={running || sending || (text.trim() === "" && attached.length === 0)}>
            {t("chat.send")}
          </button>
        )}
      </div>
    </form>
  );
}
