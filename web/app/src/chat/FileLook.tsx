import { isTrashPath, type FileContent } from "@cardloom/protocol/session";
import { useEffect, useState } from "react";
import { failureOf, type Failure } from "../connection/failure";
import { reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { CloseIcon, PencilIcon } from "../shell/icons";
import { useDesk } from "./context";
import { FileEditor } from "./FileEditor";
import { draftOf, type FileDraft } from "./model/fileDrafts";
import { lineEnd } from "./model/lineEnds";
import { Code } from "./Rendered";
import styles from "./files.module.css";

interface FileLookProps {
  backend: string;
  workspace: string;
  path: string;
  /** Grows with each change in the workspace. */
  turn: number;
  canWrite: boolean;
  onClose(): void;
}

/** A look into one file, which follows what others write; a text can be changed. */
export function FileLook({ backend, workspace, path, turn, canWrite, onClose }: FileLookProps) {
  const t = useT();
  const { wire } = useDesk();
  const place = `${backend}\n${workspace}\n${path}`;
  const [found, setFound] = useState<{ content: FileContent | null; failure: Failure | null }>({ content: null, failure: null });
  const [draft, setDraft] = useState<FileDraft | null>(() => draftOf(place));
  const [saved, setSaved] = useState(0);
  useEffect(() => {
    let left = false;
    const show = (content: FileContent | null, failure: Failure | null) => {
      if (!left) setFound({ content, failure });
    };
    wire
      .call<FileContent>(backend, "readFile", { path })
      .then((content) => show(content, null))
      .catch((error: unknown) => show(null, failureOf(error)));
    return () => {
      left = true;
    };
  }, [wire, backend, path, turn, saved]);
  const { content, failure } = found;
  const isText = content?.encoding === "utf8";
  const isPicture = content?.encoding === "base64" && /^image\/(?:png|jpeg|gif|webp)$/.test(content.mime ?? "");
  const isMixed = isText && lineEnd(content.content) === null;
  return (
    <section className={styles["look"]} aria-label={path}>
      <header>
        <code>{path}</code>
        <span className="spring" />
        {draft === null && isText && canWrite && !isTrashPath(path) ? (
          <button
            type="button"
            className="icon-btn"
            aria-label={t("chat.editNamed", { name: path })}
            title={t(isMixed ? "chat.mixedLines" : "chat.edit")}
            disabled={isMixed}
            onClick={() => setDraft({ text: content.content, content })}
          >
            <PencilIcon size={12} />
          </button>
        ) : null}
        <button type="button" className="icon-btn" aria-label={t("app.close")} title={t("app.close")} onClick={onClose}>
          <CloseIcon size={12} />
        </button>
      </header>
      {failure === null ? null : <p className="muted">{reasonOf(t, failure)}</p>}
      {draft !== null ? (
        <FileEditor
          backend={backend}
          place={place}
          start={draft}
          current={content}
          onDone={() => {
            setDraft(null);
            setSaved(saved + 1);
          }}
        />
      ) : isText ? (
        <Code text={content.content} language={path.slice(path.lastIndexOf(".") + 1)} />
      ) : null}
      {isPicture ? <img src={`data:${content.mime ?? ""};base64,${content.content}`} alt={path} /> : null}
      {content?.encoding === "base64" && !isPicture ? <p className="muted">{t("chat.noLook")}</p> : null}
    </section>
  );
}
