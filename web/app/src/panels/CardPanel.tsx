import { useState } from "react";
import { renameCard } from "../actions/cards";
import { programRuntime } from "../cards/custom/state";
import { cardBodies } from "../cards/registry";
import { frameRuntime } from "../frame/frames";
import { toldOf } from "../i18n/reasonOf";
import { familyOf, shortType } from "../ports/families";
import { portHint, portLabel } from "../ports/portLabel";
import { arrowsOf } from "../state/canvas";
import { useSession, useT } from "../shell/context";
import { useStore } from "../state/store";
import type { Card, CustomCard, FrameRuntime, PortInfo } from "../wire/records";
import { CardLog } from "./CardLog";
import { Grants } from "./Grants";
import { Journal } from "./Journal";
import { Row } from "./Row";

/** A card in detail: its name, ports, arrows, place, and what runs in it. */
export function CardPanel({ cardId }: { cardId: string }) {
  const session = useSession();
  const t = useT();
  const card = useStore(session.canvas, (state) => state?.cards.get(cardId));
  if (card === undefined) return null;
  const kind = cardBodies[card.kind];
  return (
    <>
      <h2 className="panel-title">{card.name}</h2>
      <p className="panel-sub">
        {t(kind.label)}
        {card.type === null ? "" : ` · ${card.type}`}
      </p>
      <TitleField key={card.title} card={card} />
      <Runtime card={card} />
      <PortList label={t("card.inputs")} card={card} ports={card.ports.inputs} />
      <PortList label={t("card.outputs")} card={card} ports={card.ports.outputs} />
      <CardArrows cardId={cardId} />
      <dl className="rows">
        <Row label={t("card.place")}>
          {Math.round(card.x)}, {Math.round(card.y)}
        </Row>
        <Row label={t("card.size")}>
          {Math.round(card.w)} × {Math.round(card.h)}
        </Row>
      </dl>
      {card.kind === "custom" ? (
        <>
          <div className="buttons">
            <button
              type="button"
              className="btn"
              onClick={() => session.ui.update((ui) => ({ ...ui, settingsOf: cardId }))}
            >
              {t("settings.menu")}
            </button>
          </div>
          <Grants packageId={card.content.packageId} />
          <CardLog cardId={cardId} />
        </>
      ) : null}
      <Journal cardId={cardId} />
    </>
  );
}

function TitleField({ card }: { card: Card }) {
  const session = useSession();
  const t = useT();
  const [text, setText] = useState(card.title ?? "");
  return (
    <label className="field">
      <span>{t("card.title")}</span>
      <input
        value={text}
        maxLength={120}
        placeholder={card.name}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => void renameCard(session, card.id, text)}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") setText(card.title ?? "");
        }}
      />
    </label>
  );
}

function PortList({ label, card, ports }: { label: string; card: Card; ports: readonly PortInfo[] }) {
  const t = useT();
  return (
    <section className="ports-list">
      <h3>{label}</h3>
      {ports.length === 0 ? <p className="muted">{t("card.noPorts")}</p> : null}
      <ul>
        {ports.map((port) => (
          <li key={port.id} title={portHint(t, card, port)}>
            <i className={`type-dot type-${familyOf(port.type)}`} />
            <span>
              <b>{portLabel(t, card, port)}</b>
              <small className="muted">
                {[
                  shortType(port.type),
                  ...(port.default ? [t("port.default")] : []),
                  ...(port.retain ? [t("port.retained")] : []),
                  ...(port.mode === "request" ? [t("port.request")] : []),
                  ...(port.permission === undefined ? [] : [port.permission]),
                ].join(" · ")}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function CardArrows({ cardId }: { cardId: string }) {
  const session = useSession();
  const t = useT();
  const state = useStore(session.canvas, (known) => known);
  const arrows = state === null ? [] : arrowsOf(state, cardId);
  if (state === null || arrows.length === 0) return null;
  return (
    <section className="ports-list">
      <h3>{t("card.arrows")}</h3>
      <ul>
        {arrows.map((arrow) => {
          const other = state.cards.get(arrow.a === cardId ? arrow.b : arrow.a)?.name ?? "?";
          const outgoing = (arrow.a === cardId) === (arrow.direction !== "backward");
          const sign = arrow.direction === "both" ? "⇄" : outgoing ? "→" : "←";
          return (
            <li key={arrow.id}>
              <button
                type="button"
                className="link"
                onClick={() =>
                  session.ui.update((ui) => ({ ...ui, selection: { cardIds: [], arrowIds: [arrow.id] } }))
                }
              >
                {sign} {other}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Runtime({ card }: { card: Card }) {
  const t = useT();
  const session = useSession();
  if (card.kind === "terminal" && card.runtime !== null) {
    const { status, cwd, exitCode, pid, integration } = card.runtime;
    return (
      <dl className="rows">
        <Row label={t("card.status")}>{t(`terminalStatus.${status}`)}</Row>
        {cwd === null ? null : (
          <Row label={t("card.folder")}>
            <code title={cwd}>{cwd}</code>
          </Row>
        )}
        {exitCode === null ? null : <Row label={t("card.exitCode")}>{exitCode}</Row>}
        {pid === null ? null : <Row label={t("card.process")}>{pid}</Row>}
        <Row label={t("card.integration")}>{t(integration ? "app.yes" : "app.no")}</Row>
      </dl>
    );
  }
  if (card.kind !== "custom" || card.runtime === null) return null;
  const frame = frameRuntime(card);
  if (frame !== null) return <FrameState card={card} runtime={frame} />;
  const program = programRuntime(card);
  if (program === null) return null;
  const { status, restarts, error } = program;
  const act = (method: "card.restart" | "card.stop") => {
    session.client.call(method, { cardId: card.id }).catch((failure: unknown) => session.report("fail.program", failure));
  };
  return (
    <>
      <dl className="rows">
        <Row label={t("card.status")}>
          {t(status === "starting" && error !== null ? "customStatus.unconnected" : `customStatus.${status}`)}
        </Row>
        <Row label={t("card.restarts")}>{restarts}</Row>
        <Row label={t("card.package")}>
          <code title={card.content.packageId}>{card.content.packageId}</code>
        </Row>
        <Row label={t("card.version")}>{card.content.version}</Row>
      </dl>
      {error === null ? null : <pre className="notice tone-danger">{toldOf(t, error)}</pre>}
      <div className="buttons">
        <button type="button" className="btn" onClick={() => act("card.restart")} disabled={status === "external"}>
          {t("card.restart")}
        </button>
        <button
          type="button"
          className="btn"
          onClick={() => act("card.stop")}
          disabled={status === "stopped" || status === "external"}
        >
          {t("card.stop")}
        </button>
      </div>
    </>
  );
}

function FrameState({ card, runtime }: { card: CustomCard; runtime: FrameRuntime }) {
  const session = useSession();
  const t = useT();
  return (
    <>
      <dl className="rows">
        <Row label={t("card.status")}>{t(`customStatus.${runtime.status}`)}</Row>
        <Row label={t("card.package")}>
          <code title={card.content.packageId}>{card.content.packageId}</code>
        </Row>
        <Row label={t("card.version")}>{card.content.version}</Row>
      </dl>
      {runtime.error === null ? null : <pre className="notice tone-danger">{toldOf(t, runtime.error)}</pre>}
      <div className="buttons">
        <button type="button" className="btn" onClick={() => session.frames.reload(card.id)}>
          {t("frame.reload")}
        </button>
        <button type="button" className="btn" onClick={() => session.frames.expand(card.id)}>
          {t("frame.expand")}
        </button>
      </div>
    </>
  );
}
