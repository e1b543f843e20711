import { useEffect, useRef, useState } from "react";
import { reasonOf } from "../../i18n/reasonOf";
import type { CardApi } from "../contract";
import { sayFailure } from "../parts/failure";
import { backToCard } from "../parts/leaving";
import { SearchBar } from "./SearchBar";
import { TerminalSession } from "./session";
import styles from "./terminal.module.css";

const noMatches = { at: -1, count: 0 };

interface TerminalViewProps {
  /** A card in whose terminal a program runs: a shell or an agent. */
  card: {
    readonly id: string;
    readonly name: string;
    readonly runtime: { readonly status: string; readonly cols: number; readonly rows: number } | null;
  };
  api: CardApi;
  onStart(): void;
}

/** The screen of a terminal and its search bar; loaded with the first terminal. */
export default function TerminalView({ card, api, onStart }: TerminalViewProps) {
  const { t } = api;
  const host = useRef<HTMLDivElement>(null);
  const session = useRef<TerminalSession | null>(null);
  const latest = useRef({ card, api, onStart });
  const [problem, setProblem] = useState<unknown>(null);
  const [shown, setShown] = useState(false);
  const [searching, setSearching] = useState(false);
  const [matches, setMatches] = useState(noMatches);
  useEffect(() => {
    latest.current = { card, api, onStart };
  });

  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    let gone = false;
    const opening = TerminalSession.open(element, latest.current.card, latest.current.api, {
      onSearch: () => setSearching(true),
      onLeave: () => backToCard(element),
      onMatches: (at, count) => setMatches({ at, count }),
      onShown: () => {
        setProblem(null);
        setShown(true);
      },
      onFailure: setProblem,
      onStart: () => latest.current.onStart(),
      onTypingFailure: (error) =>
        sayFailure(latest.current.api, "terminal.typing", latest.current.card.name, error),
    }).then((opened) => {
      if (gone) return opened.close();
      session.current = opened;
      opened.running(latest.current.card.runtime?.status !== "exited");
      if (element.contains(document.activeElement)) opened.screen.focus();
      return undefined;
    });
    return () => {
      gone = true;
      void opening.then(() => {
        session.current?.close();
        session.current = null;
      });
    };
  }, [card.id]);

  const label = t("terminal.screen", { name: card.name });
  useEffect(() => session.current?.screen.named(label), [label]);

  const { runtime } = card;
  const cols = runtime?.cols;
  const rows = runtime?.rows;
  useEffect(() => {
    if (cols !== undefined && rows !== undefined) session.current?.sized({ cols, rows });
  }, [cols, rows]);
  const alive = runtime?.status !== "exited";
  useEffect(() => session.current?.running(alive), [alive]);

  function endSearch() {
    setSearching(false);
    session.current?.screen.endSearch();
    session.current?.screen.focus();
  }

  return (
    <>
      <div
        ref={host}
        className={`${styles.host ?? ""} nodrag nopan nowheel`}
        role="group"
        aria-label={t("terminal.group", { name: card.name })}
        aria-busy={!shown || undefined}
        tabIndex={-1}
        data-enter="click"
        onClick={() => session.current?.screen.focus()}
        onFocus={(event) => {
          if (event.target === event.currentTarget) session.current?.screen.focus();
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
        }}
      />
      {searching && (
        <SearchBar
          matches={matches}
          t={t}
          onFind={(text, way) => session.current?.screen.find(text, way)}
          onClose={endSearch}
        />
      )}
      {problem !== null && (
        <div className={`${styles.notice ?? ""} nodrag`} role="alert">
          <p>{t("terminal.problem", { why: reasonOf(t, problem) })}</p>
          <button type="button" className="btn" onClick={() => session.current?.attach()}>
            {t("terminal.retry")}
          </button>
        </div>
      )}
    </>
  );
}
