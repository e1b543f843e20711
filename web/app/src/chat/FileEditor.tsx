import { SessionError, type FileContent, type FileEntry } from "@cardloom/protocol/session";
import { useState, type KeyboardEvent } from "react";
import { useT } from "../shell/context";
import { useAttempt, useDesk } from "./context";
import { keepDraft, type FileDraft } from "./model/fileDrafts";
import { forField, forFile, lineEnd } from "./model/lineEnds";
import { Code } from "./Rendered";
import styles from "./files.module.css";

interface FileEditorProps {
  backend: string;
  place: string;
  start: FileDraft;
  /** The file as it stands now; null while it cannot be read. */
  current: FileContent | null;
  onDone(): void;
}

/** The text of a file in a field. It is saved over what it began from alone; what another wrote meanwhile is asked about. */
export function FileEditor({ backend, place, start, current, onDone }: FileEditorProps) {
  const t = useT();
  const { wire } = useDesk();
  const attempt = useAttempt();
  const [draft, setDraft] = useState(start);
  const [busy, setBusy] = useState(false);
  /** The revision that stood in the way of saving; null where the file is gone. */
  const [met, setMet] = useState<{ readonly revision: string | null } | null>(null);
  const { path, revision } = draft.content;
  const end = lineEnd(draft.content.content) ?? "\n";
  const standing = met !== null ? met.revision : (current?.revision ?? null);
  const isOvertaken = met !== null || (current !== null && current.revision !== revision);

  // Where nothing was typed yet the field goes along with the file.
  if (isOvertaken && met === null && current !== null && draft.text === draft.content.content && current.encoding === "utf8" && lineEnd(current.content) !== null) {
    setDraft({ text: current.content, content: current });
  }
  const change = (next: FileDraft) => {
    setDraft(next);
    keepDraft(place, next);
  };
  const leave = () => {
    keepDraft(place, null);
    onDone();
  };
  const save = async (ifRevision: string | null) => {
    setBusy(true);
    const done = await attempt(async () => {
      try {
        await wire.call<FileEntry>(backend, "writeFile", { path, content: draft.text, ifRevision });
      } catch (error) {
        if (error instanceof SessionError && error.code === "conflict") setMet({ revision: revisionOf(error) });
        throw error;
      }
    });
    setBusy(false);
    if (done) leave();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if ((event.ctrlKey || event.metaKey) && (event.key === "Enter" || event.key.toLowerCase() === "s")) {
      event.preventDefault();
      if (!isOvertaken && !busy) void save(revision);
    } else if (event.key === "Escape" && draft.text === draft.content.content) leave();
  };
  return (
    <div className={styles["editor"]}>
      <textarea
        autoFocus
        spellCheck={false}
        aria-label={t("chat.textOf", { name: path })}
        value={forField(draft.text)}
        onChange={(event) => change({ ...draft, text: forFile(event.target.value, end) })}
        onKeyDown={onKeyDown}
      />
      {isOvertaken ? (
        <p className="notice tone-warning" role="alert">
          {t("chat.fileOvertaken")}
        </p>
      ) : null}
      {isOvertaken && current?.encoding === "utf8" && current.revision !== revision ? (
        <details>
          <summary>{t("conflict.theirs")}</summary>
          <Code text={current.content} language={path.slice(path.lastIndexOf(".") + 1)} />
        </details>
      ) : null}
      <div className="buttons">
        {isOvertaken ? (
          <button type="button" className="btn is-danger" disabled={busy} onClick={() => void save(standing)}>
            {t("conflict.keepMine")}
          </button>
        ) : (
          <button type="button" className="btn is-primary" disabled={busy} onClick={() => void save(revision)}>
            {t("app.save")}
          </button>
        )}
        <button type="button" className="btn" onClick={leave}>
          {t(isOvertaken ? "conflict.keepTheirs" : "app.cancel")}
        </button>
      </div>
    </div>
  );
}

/** What a refused write says of the file as it stands; null where it is gone. */
function revisionOf({ details }: SessionError): string | null {
  const found = typeof details === "object" && details !== null && "revision" in details ? details["revision"] : null;
  return typeof found === "string" ? found : null;
}
