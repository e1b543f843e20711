import { CARD_LIMITS } from "@cardloom/protocol";
import { useEffect } from "react";
import { confirmArrow, disconnect, resend, reversed, setDirection, setPaused } from "../actions/arrows";
import { familyOf, shortType } from "../ports/families";
import { flowsOfArrow, type Flow } from "../ports/flows";
import { portLabel } from "../ports/portLabel";
import { useSession, useT } from "../shell/context";
import { PauseIcon, PlayIcon, ResendIcon, ReverseIcon, TrashIcon, TwoWayIcon } from "../shell/icons";
import { useStore } from "../state/store";
import { troubleOf } from "../state/trouble";
import type { Card } from "../wire/records";
import { promptingAlong } from "../usage/caused";
import { CausedRow } from "../usage/CausedCost";
import { ago } from "./format";
import { Journal } from "./Journal";
import { Row } from "./Row";
import { useNow } from "./useNow";

/** An arrow in detail: what flows along it, how it went, and what passed. */
export function ArrowPanel({ arrowId }: { arrowId: string }) {
  const session = useSession();
  const t = useT();
  const now = useNow();
  const arrow = useStore(session.canvas, (state) => state?.arrows.get(arrowId));
  const a = useStore(session.canvas, (state) => (arrow === undefined ? undefined : state?.cards.get(arrow.a)));
  const b = useStore(session.canvas, (state) => (arrow === undefined ? undefined : state?.cards.get(arrow.b)));
  const trouble = arrow === undefined ? 0 : troubleOf(arrow.stats);
  useEffect(() => {
    // Looking at an arrow takes its warning mark away until something new goes wrong.
    session.seenTrouble.update((seen) => (seen.get(arrowId) === trouble ? seen : new Map(seen).set(arrowId, trouble)));
  }, [session, arrowId, trouble]);
  if (arrow === undefined || a === undefined || b === undefined) return null;
  const flows = flowsOfArrow(a, b, arrow.direction);
  const [from, to] = arrow.direction === "backward" ? [b, a] : [a, b];
  const both = arrow.direction === "both";
  const { stats } = arrow;
  return (
    <>
      <h2 className="panel-title">
        {from.name} {both ? "⇄" : "→"} {to.name}
      </h2>
      {arrow.pending ? (
        <div className="notice tone-warning">
          <p>{t(arrow.drawnBy.kind === "agent" ? "arrow.pendingAgent" : "arrow.pendingCard")}</p>
          <div className="buttons">
            <button type="button" className="btn is-primary" onClick={() => void confirmArrow(session, arrowId)}>
              {t("arrow.confirm")}
            </button>
            <button type="button" className="btn" onClick={() => void disconnect(session, [arrowId])}>
              {t("arrow.removePending")}
            </button>
          </div>
        </div>
      ) : null}
      <ul className="flows" aria-label={t("arrow.flows")}>
        {flows.forward.map((flow) => (
          <FlowLine key={`f${flow.output.id}`} flow={flow} from={a} to={b} both={both} />
        ))}
        {flows.backward.map((flow) => (
          <FlowLine key={`b${flow.output.id}`} flow={flow} from={b} to={a} both={both} />
        ))}
        {flows.forward.length + flows.backward.length === 0 ? <li className="muted">{t("arrow.noFlows")}</li> : null}
      </ul>
      <dl className="rows">
        <Row label={t("arrow.passed")}>{stats.passed}</Row>
        <Row label={t("arrow.dropped")}>
          <span className={stats.dropped > 0 ? "is-trouble" : ""}>{stats.dropped}</span>
        </Row>
        {stats.refused > 0 ? (
          <Row label={t("arrow.refused")}>
            <span className="is-trouble">{stats.refused}</span>
          </Row>
        ) : null}
        {stats.loops > 0 ? (
          <Row label={t("arrow.loops")}>
            <span className="is-trouble">{stats.loops}</span>
          </Row>
        ) : null}
        <Row label={t("arrow.last")}>{stats.lastAtMs === null ? t("arrow.never") : ago(stats.lastAtMs, now, t)}</Row>
        {promptingAlong(arrow, a, b).map((prompting) => (
          <CausedRow
            key={prompting.agentId}
            prompting={prompting}
            sender={prompting.senderId === a.id ? a : b}
            agent={prompting.agentId === a.id ? a : b}
          />
        ))}
        <Row label={t("arrow.rate")}>{t("arrow.perSecond", { count: CARD_LIMITS.portMessagesPerSecond })}</Row>
      </dl>
      <div className="buttons">
        <button type="button" className="btn" disabled={stats.passed === 0} onClick={() => void resend(session, arrowId)}>
          <ResendIcon size={13} /> {t("arrow.sendAgain")}
        </button>
        <button type="button" className="btn" aria-pressed={arrow.paused} onClick={() => void setPaused(session, arrowId, !arrow.paused)}>
          {arrow.paused ? <PlayIcon size={13} /> : <PauseIcon size={13} />} {t(arrow.paused ? "arrow.resume" : "arrow.pause")}
        </button>
        <button
          type="button"
          className="btn"
          disabled={both}
          onClick={() => void setDirection(session, arrowId, reversed(arrow.direction))}
        >
          <ReverseIcon size={13} /> {t("arrow.reverse")}
        </button>
        <button
          type="button"
          className="btn"
          aria-pressed={both}
          onClick={() => void setDirection(session, arrowId, both ? "forward" : "both")}
        >
          <TwoWayIcon size={13} /> {t(both ? "arrow.oneWay" : "arrow.twoWay")}
        </button>
        <button type="button" className="btn is-danger" onClick={() => void disconnect(session, [arrowId])}>
          <TrashIcon size={13} /> {t("arrow.delete")}
        </button>
      </div>
      <Journal arrowId={arrowId} />
    </>
  );
}

function FlowLine({ flow, from, to, both }: { flow: Flow; from: Card; to: Card; both: boolean }) {
  const t = useT();
  const { output, input, coercion } = flow;
  const same = coercion === "exact" || coercion === "identity" || coercion === "any";
  return (
    <li>
      <i className={`type-dot type-${familyOf(output.type)}`} />
      <span>
        <b>{portLabel(t, from, output)}</b> → <b>{portLabel(t, to, input)}</b>
        {both ? <span className="muted"> · {to.name}</span> : null}
        <small className="muted">
          {output.type === input.type ? shortType(output.type) : `${shortType(output.type)} → ${shortType(input.type)}`}
          {" · "}
          {t(same ? "arrow.noConversion" : `coercion.${coercion}`)}
        </small>
      </span>
    </li>
  );
}
