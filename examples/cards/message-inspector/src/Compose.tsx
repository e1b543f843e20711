import { hasDownstreamPeer } from "@cardloom/card-sdk";
import type { PortInfo } from "@cardloom/card-sdk";
import { useCard, usePeers } from "@cardloom/card-sdk/react";
import { useState } from "react";
import { outcomeOf, useAllowed } from "./outcome";
import type { Say } from "./outcome";

/** What is typed, as the output takes it: a text as it is, anything else as JSON. Throws for what is none. */
export function valueFor(output: PortInfo, typed: string): unknown {
  return output.type === "ns:text" ? typed : (JSON.parse(typed) as unknown);
}

export interface Draft {
  readonly output: string;
  readonly typed: string;
}

export function Compose({ draft, onChange, t }: { readonly draft: Draft; readonly onChange: (draft: Draft) => void; readonly t: Say }) {
  const card = useCard();
  const peers = usePeers();
  const allowed = useAllowed();
  const [outcome, setOutcome] = useState("");

  async function emit() {
    const output = card.ports.outputs.find(({ id }) => id === draft.output);
    if (output === undefined) return;
    setOutcome(
      await outcomeOf(t, async () => {
        const data = valueFor(output, draft.typed);
        await allowed(peers.filter(({ direction }) => direction !== "upstream"), { outputType: output.type });
        return t("delivered", { count: await card.ports.emit(output.id, data) });
      }),
    );
  }

  return (
    <section className="ns-stack" aria-label={t("compose")}>
      <div className="ns-row">
        <select
          className="ns-select choice"
          aria-label={t("output")}
          value={draft.output}
          onChange={(event) => onChange({ ...draft, output: event.target.value })}
        >
          {card.ports.outputs.map(({ id, label, type }) => (
            <option key={id} value={id}>
              {label} · {type}
            </option>
          ))}
        </select>
        <button className="ns-btn ns-btn--primary" disabled={!hasDownstreamPeer(peers)} onClick={() => void emit()}>
          {t("emit")}
        </button>
      </div>
      <textarea
        className="ns-textarea ns-mono"
        aria-label={t("value")}
        rows={2}
        value={draft.typed}
        onChange={(event) => onChange({ ...draft, typed: event.target.value })}
      />
      <output className="ns-small ns-muted">{outcome}</output>
    </section>
  );
}
