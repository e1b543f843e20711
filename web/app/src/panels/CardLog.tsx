import { useEffect, useState } from "react";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { LogLine } from "../wire/records";
import { clockTime } from "./format";

const MAX_LINES = 300;

/** What a custom card's program has written, newest at the end. */
export function CardLog({ cardId }: { cardId: string }) {
  const session = useSession();
  const t = useT();
  const language = useStore(session.app, (app) => app.preferences.language);
  const [lines, setLines] = useState<readonly LogLine[] | null>(null);
  useEffect(() => {
    const { client } = session;
    let wanted = true;
    const read = () => {
      client
        .call("card.log", { cardId, limit: MAX_LINES })
        .then((log) => {
          if (wanted) setLines(log.lines);
        })
        .catch(() => {
          if (wanted) setLines((known) => known ?? []);
        });
    };
    const stops = [
      client.on("card.log", (event: { cardId: string; lines: readonly LogLine[] }) => {
        if (event.cardId === cardId) setLines((known) => [...(known ?? []), ...event.lines].slice(-MAX_LINES));
      }),
      // What came meanwhile was told to nobody here.
      client.on("client.online", read),
      client.on("stream.gap", read),
    ];
    read();
    return () => {
      wanted = false;
      stops.forEach((stop) => stop());
    };
  }, [session, cardId]);
  return (
    <section className="journal">
      <h3>{t("card.log")}</h3>
      {lines?.length === 0 ? <p className="muted">{t("card.noLog")}</p> : null}
      {lines !== null && lines.length > 0 ? (
        <ol className="log" tabIndex={0} aria-label={t("card.log")}>
          {lines.map((line, index) => (
            <li key={`${line.atMs}-${index}`} className={`log-${line.level}`}>
              <time>{clockTime(line.atMs, language)}</time> {line.text}
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}
