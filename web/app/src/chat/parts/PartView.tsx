import { isPlainObject } from "@cardloom/protocol";
import type { AnyPart, ToolPair } from "@cardloom/protocol/session";
import { lazy, memo, Suspense } from "react";
import { reasonOf } from "../../i18n/reasonOf";
import { useT } from "../../shell/context";
import { ChevronIcon, FileIcon, WarningIcon } from "../../shell/icons";
import { heldBy, isStop, metaText, pairOf, readable, revealed, type Row } from "../model/rows";
import { AssetImage } from "./AssetImage";
import styles from "../content.module.css";

const Rendered = lazy(() => import("../Rendered"));
const Code = lazy(() => import("../Rendered").then((module) => ({ default: module.Code })));

interface PartViewProps {
  part: AnyPart;
  row: Row;
  isWriting: boolean;
}

/** One part of a message. A kind that is not known here is shown as what it holds. */
export const PartView = memo(function PartView({ part, row, isWriting }: PartViewProps) {
  switch (part.type) {
    case "text":
      return <Text text={textOf(part)} role={row.message.role} />;
    case "thinking":
      return <Thinking text={textOf(part)} isWriting={isWriting} />;
    case "tool_use": {
      const pair = pairOf(row, part);
      return <ToolCall pair={pair ?? { callId: "", use: part as never }} isWriting={isWriting} />;
    }
    case "tool_result": {
      const pair = pairOf(row, part);
      return pair?.use === undefined ? <ToolCall pair={pair ?? { callId: "", result: part as never }} isWriting={false} /> : null;
    }
    case "file":
      return <File part={part} />;
    case "image":
      return <AssetImage part={part} />;
    case "error":
      return <Failure part={part} />;
    default:
      return <Unknown part={part} />;
  }
});

function textOf(part: AnyPart): string {
  return typeof part["text"] === "string" ? part["text"] : "";
}

/** What a person typed stays as typed; what a model says is Markdown. */
function Text({ text, role }: { text: string; role: string }) {
  if (role === "user") return <div className={styles["plain"]}>{text}</div>;
  return (
    <Suspense fallback={<div className={styles["plain"]}>{text}</div>}>
      <Rendered text={text} />
    </Suspense>
  );
}

function Thinking({ text, isWriting }: { text: string; isWriting: boolean }) {
  const t = useT();
  if (text === "" && !isWriting) return null;
  return (
    <details className={styles["thinking"]}>
      <summary>
        <ChevronIcon size={13} />
        {t(isWriting ? "chat.thinkingNow" : "chat.thinking")}
        {isWriting ? <i className="spinner" /> : null}
      </summary>
      <div className={styles["plain"]}>{text}</div>
    </details>
  );
}

/** A call and what it brought, as one. */
function ToolCall({ pair, isWriting }: { pair: ToolPair; isWriting: boolean }) {
  const t = useT();
  const { use, result } = pair;
  const name = (use && metaText(use, "name")) ?? (result && metaText(result, "name")) ?? t("chat.tool");
  const failed = result !== undefined && isPlainObject(result.meta) && result.meta["error"] === true;
  const state = result === undefined ? (isWriting ? "writing" : "open") : failed ? "failed" : "done";
  const brought = result === undefined ? "" : readable(result.text ?? result.data);
  return (
    <details className={styles["call"]} data-state={state}>
      <summary>
        <ChevronIcon size={13} />
        <b>{revealed(name)}</b>
        <span className={styles["callLine"]}>{revealed(oneLine(use?.data))}</span>
        {state === "done" ? <span className="chip tone-success">{t("chat.callDone")}</span> : null}
        {state === "failed" ? <span className="chip tone-danger">{t("chat.callFailed")}</span> : null}
        {state === "writing" || state === "open" ? <span className="chip tone-default">{t("chat.callOpen")}</span> : null}
      </summary>
      {use === undefined
        ? null
        : heldBy(use.data).map(({ name: of, text, language }) => <Block key={of} title={of ?? t("chat.callGiven")} text={text} language={language} />)}
      {result === undefined ? null : (
        <Block title={t("chat.callResult")} text={brought} language={typeof result.text === "string" ? "" : "json"} />
      )}
    </details>
  );
}

function Block({ title, text, language }: { title: string; text: string; language: string }) {
  return (
    <>
      <h5>{title}</h5>
      <Suspense fallback={<pre className={styles["code"]}>{text}</pre>}>
        <Code text={text} language={language} />
      </Suspense>
    </>
  );
}

/** The arguments in a few words, for the line that stands for a closed call. */
function oneLine(data: unknown): string {
  if (!isPlainObject(data)) return typeof data === "string" ? data : "";
  return Object.values(data)
    .filter((value) => typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    .join(" · ")
    .replaceAll(/\s+/g, " ")
    .slice(0, 160);
}

function File({ part }: { part: AnyPart }) {
  const t = useT();
  const text = textOf(part);
  const name = metaText(part, "name") ?? t("chat.file");
  return (
    <details className={styles["call"]} data-state="file">
      <summary>
        <FileIcon size={14} />
        <b>{revealed(name)}</b>
        <span className={styles["callLine"]}>{metaText(part, "mime") ?? ""}</span>
      </summary>
      <pre className={styles["code"]}>{text === "" ? t("chat.fileWithoutText") : text}</pre>
    </details>
  );
}

function Failure({ part }: { part: AnyPart }) {
  const t = useT();
  const code = metaText(part, "code");
  if (isStop(part)) return <p className="muted">{t("chat.cancelled")}</p>;
  return (
    <p className={`notice tone-danger ${styles["failure"] ?? ""}`} role="alert">
      <WarningIcon size={14} /> {reasonOf(t, { code, message: textOf(part) })} {code === null ? null : <code>{code}</code>}
    </p>
  );
}

function Unknown({ part }: { part: AnyPart }) {
  const t = useT();
  const what = part.type === "custom" ? (metaText(part, "hint") ?? "custom") : part.type;
  const text = textOf(part);
  return (
    <details className={styles["call"]} data-state="unknown">
      <summary>
        <ChevronIcon size={13} />
        <b>{what}</b>
        <span className={styles["callLine"]}>{text === "" ? t("chat.unknownPart") : text}</span>
      </summary>
      <Block title={t("chat.unknownHolds")} text={readable(part)} language="json" />
    </details>
  );
}
