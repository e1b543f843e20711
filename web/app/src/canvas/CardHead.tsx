import { memo, useEffect, useRef, useState, type MouseEvent } from "react";
import { renameCard } from "../actions/cards";
import type { CardBody } from "../cards/contract";
import { toldOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import { MoreIcon } from "../shell/icons";
import { useStore } from "../state/store";
import type { Card } from "../wire/records";
import { CostChip } from "../usage/CostChip";
import { openCardMenu } from "./cardMenu";

interface CardHeadProps {
  card: Card;
  kind: CardBody;
}

/** The line above a card's body, by which it is dragged: status, title, a few muted words, badge and menu. */
export const CardHead = memo(function CardHead({ card, kind }: CardHeadProps) {
  const session = useSession();
  const t = useT();
  const renaming = useStore(session.ui, (ui) => ui.renaming === card.id);
  const tone = kind.headerTone?.(card) ?? null;
  const meta = kind.headerMeta?.(card, t) ?? "";
  const { status, badge, attention } = card.chrome;
  const attentionText = attention === null || attention.message === null ? null : toldOf(t, attention.message);
  const Icon = kind.icon;
  const rename = () => session.ui.update((ui) => ({ ...ui, renaming: card.id }));
  return (
    <header className="card-head card-grip">
      {tone === null ? (
        <span className="card-icon">
          <Icon size={15} />
        </span>
      ) : (
        <span className={`dot tone-${tone.tone} ${tone.busy ? "is-busy" : ""}`} />
      )}
      {renaming ? (
        <TitleField card={card} />
      ) : (
        <span className="card-title" onDoubleClick={rename} title={card.name}>
          {card.name}
        </span>
      )}
      {meta === "" ? null : <span className="card-meta">{meta}</span>}
      <span className="spring" />
      {status === null ? null : (
        <span className={`chip tone-${status.tone}`} title={status.text}>
          {status.busy ? <i className="spinner" /> : null}
          <span>{status.text}</span>
        </span>
      )}
      {attention === null ? null : (
        <span className="chip tone-warning" title={attentionText ?? undefined}>
          <span>{attentionText ?? t("card.asks")}</span>
        </span>
      )}
      {card.kind === "agent" ? <CostChip agentId={card.id} /> : null}
      {badge === null ? null : <span className={`badge tone-${badge.tone}`}>{badge.text ?? badge.count}</span>}
      <button
        type="button"
        className="card-more nodrag"
        aria-label={t("card.menuOf", { name: card.name })}
        aria-haspopup="menu"
        tabIndex={-1}
        onClick={(event: MouseEvent<HTMLButtonElement>) => openCardMenu(session, card.id, event)}
      >
        <MoreIcon />
      </button>
    </header>
  );
});

function TitleField({ card }: { card: Card }) {
  const session = useSession();
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(card.title ?? card.name);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const done = (save: boolean) => {
    if (session.ui.get().renaming !== card.id) return;
    const node = field.current?.closest<HTMLElement>(".react-flow__node");
    session.ui.update((ui) => ({ ...ui, renaming: null }));
    if (save) void renameCard(session, card.id, text);
    node?.focus({ preventScroll: true });
  };
  return (
    <input
      ref={field}
      className="card-title-field nodrag"
      aria-label={t("card.title")}
      maxLength={120}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => done(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") done(true);
        if (event.key === "Escape") done(false);
      }}
    />
  );
}
