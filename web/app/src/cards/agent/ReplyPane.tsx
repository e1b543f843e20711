import { lazy, Suspense, useEffect, useState } from "react";
import type { StartedAgent } from "../../wire/records";
import type { CardApi } from "../contract";
import styles from "./agent.module.css";

const Markdown = lazy(() => import("../note/NotePreview"));

/** From this length on the card holds only the beginning of a reply. */
const HELD_CHARS = 4_000;

/** The final message of the last turn, as Markdown; a long one is fetched whole. */
export function ReplyPane({ card, reply, api }: { card: { id: string; name: string }; reply: StartedAgent["reply"]; api: CardApi }) {
  const { t } = api;
  const [whole, setWhole] = useState<{ atMs: number; text: string } | null>(null);
  const cut = reply !== null && reply.text.length >= HELD_CHARS;
  const atMs = reply?.atMs ?? 0;
  useEffect(() => {
    if (!cut) return;
    let gone = false;
    const read = () => {
      api
        .call<{ text: string | null; at: number | null }>("agents.lastReply", { agentId: card.id })
        .then(({ text, at }) => {
          if (!gone && text !== null && at !== null) setWhole({ atMs: at, text });
        })
        // The beginning stays until the server is back.
        .catch(() => undefined);
    };
    read();
    const stop = api.on("client.online", read);
    return () => {
      gone = true;
      stop();
    };
  }, [api, card.id, cut, atMs]);
  const text = cut && whole?.atMs === atMs ? whole.text : (reply?.text ?? "");
  return (
    <section className={`${styles.pane ?? ""} nowheel nodrag`} aria-label={t("agent.replyOf", { name: card.name })} tabIndex={0}>
      {text === "" ? (
        <p className={styles.nothing}>{t("agent.noReply")}</p>
      ) : (
        <Suspense fallback={<p className={styles.nothing}>{t("app.loading")}</p>}>
          <Markdown text={text} />
        </Suspense>
      )}
    </section>
  );
}
