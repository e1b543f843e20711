import { lazy, Suspense, useState } from "react";
import { size } from "../panels/format";
import { useSession, useT } from "../shell/context";
import { CloseIcon, CopyIcon, DocumentIcon, LinkIcon } from "../shell/icons";
import { MenuButton } from "../shell/Menu";
import { useStore } from "../state/store";
import { copyPath, sendEntries } from "./actions";
import { carryFile } from "./carrying";
import type { Content } from "./content";
import type { Shown } from "./desk";
import { TextPreview } from "./TextPreview";
import { nameOf, parentOf } from "./tree";
import styles from "./files.module.css";

const MarkdownPreview = lazy(() => import("./MarkdownPreview"));

/** One file: what it is, what can be done with it, and its content. */
export function FilePreview({ shown }: { shown: Shown }) {
  const session = useSession();
  const t = useT();
  const { path, line } = shown.ref;
  // Whoever opens a file at a line wants to see lines.
  const [source, setSource] = useState(line !== undefined);
  const markdown = shown.content?.kind === "text" && shown.content.markdown !== null;
  const name = line === undefined ? nameOf(path) : `${nameOf(path)}:${line}`;
  return (
    <section className={styles["preview"]} aria-label={t("preview.label")} aria-busy={shown.phase === "loading"}>
      <header className={styles["previewHead"]}>
        <h3
          title={path}
          onPointerDown={(event) => {
            if (event.button === 0) carryFile(session, shown.ref, { x: event.clientX, y: event.clientY });
          }}
        >
          {name}
          <small>{[parentOf(path), shown.sizeBytes === null ? "" : size(shown.sizeBytes, t)].filter(Boolean).join(" · ")}</small>
        </h3>
        {markdown ? (
          <button
            type="button"
            className="icon-btn"
            aria-label={t("preview.rendered")}
            title={t("preview.rendered")}
            aria-pressed={!source}
            onClick={() => setSource(!source)}
          >
            <DocumentIcon />
          </button>
        ) : null}
        <MenuButton className="icon-btn" label={t("files.sendButton")} align="end" entries={() => sendEntries(session, shown.ref)}>
          <LinkIcon />
        </MenuButton>
        <button
          type="button"
          className="icon-btn"
          aria-label={t("files.copyPath")}
          title={t("files.copyPath")}
          onClick={() => void copyPath(session, path)}
        >
          <CopyIcon />
        </button>
        <button
          type="button"
          className="icon-btn"
          aria-label={t("preview.close")}
          title={t("preview.close")}
          onClick={() => session.files.close()}
        >
          <CloseIcon />
        </button>
      </header>
      {shown.phase === "loading" ? <div className="loading-lines" role="status" aria-label={t("app.loading")} /> : null}
      {shown.phase === "failed" ? (
        <p className="notice tone-danger" role="alert">
          {shown.message}
        </p>
      ) : null}
      {shown.content === null ? null : <Notices content={shown.content} line={line} />}
      {shown.content === null ? null : <Body shown={shown} content={shown.content} rendered={markdown && !source} />}
    </section>
  );
}

/** What has to be known of the content beside it. */
function Notices({ content, line }: { content: Content; line: number | undefined }) {
  const session = useSession();
  const t = useT();
  const online = useStore(session.connection, (state) => state.phase === "online");
  if (content.kind === "binary") return <p className="notice tone-default">{t("preview.binary")}</p>;
  if (content.kind === "large") return <p className="notice tone-default">{t("preview.large")}</p>;
  if (content.kind !== "text") return null;
  const count = content.lines.length;
  return (
    <>
      {line !== undefined && line > count ? (
        <p className="notice tone-warning" role="status">
          {t("preview.noLine", { line, count })}
        </p>
      ) : null}
      {content.truncated ? (
        <p className="notice tone-default">
          {t("preview.cut")}{" "}
          <button type="button" className="link" disabled={!online} onClick={() => session.files.readMore()}>
            {t("preview.more")}
          </button>
        </p>
      ) : null}
    </>
  );
}

function Body({ shown, content, rendered }: { shown: Shown; content: Content; rendered: boolean }) {
  const t = useT();
  const { path, line } = shown.ref;
  if (content.kind === "image") return <Picture key={content.address} address={content.address} path={path} />;
  if (content.kind !== "text") return null;
  if (content.lines.length === 1 && content.lines[0] === "") return <p className={styles["quiet"]}>{t("preview.empty")}</p>;
  if (rendered && content.markdown !== null) {
    return (
      <Suspense fallback={<div className="loading-lines" role="status" aria-label={t("app.loading")} />}>
        <MarkdownPreview path={path} text={content.markdown} />
      </Suspense>
    );
  }
  return <TextPreview lines={content.lines} label={path} line={line ?? null} turn={shown.turn} />;
}

function Picture({ address, path }: { address: string; path: string }) {
  const t = useT();
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="notice tone-warning">{t("preview.badImage")}</p>;
  return (
    <div className={styles["picture"]}>
      <img src={address} alt={nameOf(path)} onError={() => setBroken(true)} />
    </div>
  );
}
