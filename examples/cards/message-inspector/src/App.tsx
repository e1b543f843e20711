import { createTranslator } from "@cardloom/card-sdk";
import { useCard, useI18n, usePaused, usePeers, useTranslator } from "@cardloom/card-sdk/react";
import { useEffect, useMemo, useState } from "react";
import { Compose } from "./Compose";
import type { Draft } from "./Compose";
import { useSeen } from "./messages";
import { Peer } from "./Peer";
import { WORDS } from "./words";

/** Every feature of ports by hand: receive, send to all or to one, keep, read, ask, answer, and see who is joined. */
export function App() {
  const card = useCard();
  const peers = usePeers();
  const { locale } = useI18n();
  const t = useTranslator(useMemo(() => createTranslator(WORDS, card), [card]));
  const [seen, clear] = useSeen();
  const [draft, setDraft] = useState<Draft>({ output: "text", typed: "- [ ] salt" });
  const paused = usePaused();

  useEffect(() => {
    void card.setBadge(seen.length || null);
    void card.setOverview({ primary: seen[0]?.text.slice(0, 160) ?? null, icon: "inbox" });
  }, [card, seen]);

  if (paused) return null;
  return (
    <div className="ns-stack">
      <Compose draft={draft} onChange={setDraft} t={t} />
      <section className="ns-stack" aria-label={t("peers")}>
        <h2 className="ns-subtitle">{t("peers")}</h2>
        {peers.length === 0 && <p className="ns-empty">{t("alone")}</p>}
        <ul className="ns-list">
          {peers.map((peer) => (
            <Peer key={peer.cardId} peer={peer} draft={draft} t={t} />
          ))}
        </ul>
      </section>
      <section className="ns-stack" aria-label={t("messages")}>
        <div className="ns-spread">
          <h2 className="ns-subtitle">{t("messages")}</h2>
          <button className="ns-btn ns-btn--ghost ns-btn--sm" disabled={seen.length === 0} onClick={clear}>
            {t("clear")}
          </button>
        </div>
        {seen.length === 0 && <p className="ns-empty">{t("empty")}</p>}
        <ol className="ns-list">
          {seen.map((line, number) => (
            <li key={`${line.at}-${number}`} className="ns-list-item ns-stack">
              <div className="ns-spread ns-small ns-muted">
                <span>
                  {peers.find(({ cardId }) => cardId === line.from)?.name ?? line.kind} · {line.route}
                </span>
                <time>{new Date(line.at).toLocaleTimeString(locale)}</time>
              </div>
              <pre className="value ns-mono">{line.text}</pre>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
