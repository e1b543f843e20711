import { NodeResizer, type NodeProps } from "@xyflow/react";
import { memo, Suspense, type MouseEvent } from "react";
import { arrange } from "../actions/cards";
import { MissingSettings } from "../asking/MissingSettings";
import { waitsForPerson } from "../cards/agent/state";
import type { CardBody, CardBodyProps } from "../cards/contract";
import { OverviewTile } from "../cards/overview/OverviewTile";
import { cardBodies } from "../cards/registry";
import { Boundary } from "../shell/Boundary";
import { useCardApi, useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { Detail } from "../state/ui";
import type { Card, PackageInfo, Tone } from "../wire/records";
import { CardHead } from "./CardHead";
import { openCardMenu } from "./cardMenu";
import type { CardNode } from "./nodes";
import { MatchMark, useMatch, type CardMatch } from "./MatchMark";
import { Ports } from "./Ports";

/** A card on the canvas: its frame, header and ports, and within them the body of its kind. */
export const CardNodeView = memo(CardNodeFrame, sameView);

function sameView(before: NodeProps<CardNode>, after: NodeProps<CardNode>): boolean {
  // The place changes with every frame of a drag and is none of the card's business.
  return before.id === after.id && before.selected === after.selected && before.dragging === after.dragging;
}

function CardNodeFrame({ id, selected, dragging }: NodeProps<CardNode>) {
  const session = useSession();
  const card = useStore(session.canvas, (state) => state?.cards.get(id));
  const detail = useStore(session.ui, (ui) => ui.detail);
  const alone = useStore(session.ui, (ui) => ui.selection.cardIds.length === 1);
  const match = useMatch(id);
  const limits = usePackageSizes(card);
  if (card === undefined) return null;
  const kind = cardBodies[card.kind];
  if (detail === "block") {
    const tone = kind.overview(card, session.t).tone ?? "default";
    return <Block card={card} tone={tone} selected={selected} match={match} />;
  }
  const bare = kind.bare === true;
  const attention = waitsForPerson(card);
  const classes = ["card", `kind-${card.kind}`];
  if (bare) classes.push("is-bare");
  if (selected) classes.push("is-selected");
  if (dragging) classes.push("is-dragging");
  if (attention) classes.push("is-asking");
  if (match !== null) classes.push(match.role);
  return (
    <div
      className={classes.join(" ")}
      data-card-id={id}
      onContextMenu={(event: MouseEvent) => openCardMenu(session, id, event)}
    >
      {bare || detail !== "full" ? null : <CardHead card={card} kind={kind} />}
      {detail === "full" ? <MissingSettings card={card} /> : null}
      <CardContent card={card} kind={kind} selected={selected} detail={detail} />
      {detail !== "full" ? null : <Ports ports={card.ports} kind={card.kind} name={card.name} />}
      {/* What xyflow measures to accept an arrow; where it really ends is our own affair. */}
      <i className="edge-end source target" data-handlepos="right" />
      {match === null ? null : <MatchMark match={match} />}
      {selected && alone && detail === "full" ? (
        <NodeResizer
          nodeId={id}
          minWidth={limits?.minSize.w ?? kind.minSize.w}
          minHeight={limits?.minSize.h ?? kind.minSize.h}
          {...(limits === null ? {} : { maxWidth: limits.maxSize.w, maxHeight: limits.maxSize.h })}
          lineClassName="resize-line"
          handleClassName="resize-corner"
          onResizeEnd={(_event, size) => {
            const { x, y, width: w, height: h } = size;
            void arrange(session, [roundedGeometry(id, { x, y, w, h })]);
          }}
        />
      ) : null}
    </div>
  );
}

/** How small and large a card of a package may become; null for the kinds that have no package. */
function usePackageSizes(card: Card | undefined): PackageInfo["card"] | null {
  const session = useSession();
  const packageId = card?.kind === "custom" ? card.content.packageId : null;
  return useStore(session.app, (app) => app.packages.find((known) => known.packageId === packageId)?.card ?? null);
}

function roundedGeometry(cardId: string, rect: { x: number; y: number; w: number; h: number }) {
  return {
    cardId,
    x: Math.round(rect.x),
    y: Math.round(rect.y),
    w: Math.round(rect.w),
    h: Math.round(rect.h),
  };
}

interface ContentProps {
  card: Card;
  kind: CardBody;
  selected: boolean;
  detail: Detail;
}

const CardContent = memo(function CardContent({ card, kind, selected, detail }: ContentProps) {
  const t = useT();
  const full = detail === "full";
  const bodyShown = full || kind.keepMounted === true;
  return (
    <>
      {bodyShown ? (
        <div className={kind.bare === true ? "card-body card-grip" : "card-body"} hidden={!full}>
          <Boundary fallback={(error, again) => <BrokenBody error={error} again={again} />}>
            <Suspense fallback={<div className="card-loading" role="status" aria-label={t("app.loading")} />}>
              <Body kind={kind} card={card} selected={selected} readable={full} />
            </Suspense>
          </Boundary>
        </div>
      ) : null}
      {detail === "tile" || detail === "far" ? (
        <div className="card-tile card-grip">
          <OverviewTile card={card} t={t} />
        </div>
      ) : null}
    </>
  );
});

interface BlockProps {
  card: Card;
  tone: Tone;
  selected: boolean;
  match: CardMatch | null;
}

/** A card too far away for words: its colour, and the colour of how it is. */
function Block({ card, tone, selected, match }: BlockProps) {
  const session = useSession();
  const classes = ["card-block", "card-grip", `tone-${tone}`];
  if (card.kind === "sticky") classes.push(`sticky-${card.content.color}`);
  if (waitsForPerson(card)) classes.push("is-asking");
  if (selected) classes.push("is-selected");
  if (match !== null) classes.push(match.role);
  return (
    <div
      className={classes.join(" ")}
      data-card-id={card.id}
      onContextMenu={(event: MouseEvent) => openCardMenu(session, card.id, event)}
    >
      <i className="edge-end source target" data-handlepos="right" />
    </div>
  );
}

/** A body that failed, perhaps because the server was updated and its files have other names now. */
function BrokenBody({ error, again }: { error: Error; again: () => void }) {
  const t = useT();
  return (
    <div className="card-broken" role="alert">
      <p>{t("card.broken")}</p>
      <p className="muted">{error.message}</p>
      <div className="buttons">
        <button type="button" className="btn" onClick={again}>
          {t("failed.again")}
        </button>
        <button type="button" className="btn" onClick={() => location.reload()}>
          {t("app.reload")}
        </button>
      </div>
    </div>
  );
}

function Body({ kind, ...props }: { kind: CardBody } & Omit<CardBodyProps, "api">) {
  const api = useCardApi();
  const Component = kind.component;
  return <Component {...props} api={api} />;
}
