import { coercePortValue, pickInputFor, portCoercion } from "@cardloom/card-sdk";
import type { PeerInfo, PortInfo } from "@cardloom/card-sdk";
import { useCard } from "@cardloom/card-sdk/react";
import { useState } from "react";
import { valueFor } from "./Compose";
import type { Draft } from "./Compose";
import { outcomeOf, useAllowed } from "./outcome";
import type { Say } from "./outcome";

const ARROWS = { downstream: "→", upstream: "←", both: "↔" };

/** One joined card: its ports, what it would get of the draft, and sending, reading and asking by hand. */
export function Peer({ peer, draft, t }: { readonly peer: PeerInfo; readonly draft: Draft; readonly t: Say }) {
  const card = useCard();
  const allowed = useAllowed();
  const [outcome, setOutcome] = useState("");
  const output = card.ports.outputs.find(({ id }) => id === draft.output);
  const input = output === undefined ? null : pickInputFor(output.type, peer.inputs);

  const say = async (work: () => Promise<string>) => setOutcome(await outcomeOf(t, work));
  const send = (to: PortInfo) =>
    say(async () => {
      if (output === undefined) return "";
      const data = valueFor(output, draft.typed);
      await allowed([peer], { input: to.id });
      return t("delivered", { count: await card.ports.send(peer.cardId, output.id, data, { input: to.id }) });
    });
  const read = (from: PortInfo) =>
    say(async () => {
      await allowed([{ ...peer, inputs: [from] }], { input: from.id });
      const last = await card.ports.read(peer.cardId, from.id);
      return last === null ? t("nothing") : written(last.data);
    });
  const ask = (question: PortInfo) =>
    say(async () => written(await card.ports.request(peer.cardId, question.id, draft.typed, { timeoutMs: 10_000 })));

  return (
    <li className="ns-list-item ns-stack">
      <div className="ns-spread">
        <strong>
          {ARROWS[peer.direction]} {peer.name}
        </strong>
        <span className="ns-badge">{peer.type ?? peer.kind}</span>
      </div>
      {output !== undefined && peer.direction !== "upstream" && (
        <p className="ns-small ns-muted">
          {input === null
            ? t("fits", { type: output.type })
            : t("becomes", { input: input.label, type: input.type, how: portCoercion(output.type, input.type) })}
          {input !== null && preview(output, input, draft.typed)}
        </p>
      )}
      <div className="ns-row">
        {peer.direction !== "upstream" &&
          peer.inputs
            .filter(({ mode }) => mode === "stream")
            .map((one) => (
              <button key={one.id} className="ns-btn ns-btn--sm" title={one.type} onClick={() => void send(one)}>
                {t("send")}: {one.label}
              </button>
            ))}
        {peer.outputs
          .filter(({ retain }) => retain)
          .map((one) => (
            <button key={one.id} className="ns-btn ns-btn--sm" title={one.type} onClick={() => void read(one)}>
              {t("read")}: {one.label}
            </button>
          ))}
        {peer.inputs
          .filter(({ mode }) => mode === "request")
          .map((one) => (
            <button key={one.id} className="ns-btn ns-btn--sm" title={one.response?.type} onClick={() => void ask(one)}>
              {t("ask")}: {one.label}
            </button>
          ))}
      </div>
      <output className="value ns-small ns-mono">{outcome}</output>
    </li>
  );
}

/** What the draft becomes on its way, where it can be read and becomes another value at all. */
function preview(output: PortInfo, input: PortInfo, typed: string) {
  let data: unknown;
  try {
    data = valueFor(output, typed);
  } catch {
    return null;
  }
  const becomes = coercePortValue(output.type, input.type, data);
  return becomes === data ? null : <code className="value ns-mono"> {written(becomes)}</code>;
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
