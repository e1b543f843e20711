import { memo } from "react";
import type { Card, PortInfo } from "../wire/records";
import { familyOf, shortType } from "../ports/families";
import { familiesOf } from "../ports/flows";
import { portLabel } from "../ports/portLabel";
import { useSession, useT } from "../shell/context";
import { drawWithPointer } from "./drawing";
import { dotOffset } from "./geometry";

/** The dots at a card's sides, one a family of types: outputs at the right, inputs at the left. */
export const Ports = memo(function Ports({ ports, kind, name }: { ports: Card["ports"]; kind: Card["kind"]; name: string }) {
  return (
    <>
      <Dots ports={ports.inputs} kind={kind} name={name} outgoing={false} />
      <Dots ports={ports.outputs} kind={kind} name={name} outgoing />
    </>
  );
});

interface DotsProps {
  ports: readonly PortInfo[];
  kind: Card["kind"];
  name: string;
  outgoing: boolean;
}

function Dots({ ports, kind, name, outgoing }: DotsProps) {
  const session = useSession();
  const t = useT();
  const families = familiesOf(ports);
  const label = t(outgoing ? "port.drawFrom" : "port.drawTo", { name });
  return families.map((family, index) => (
    <button
      key={family}
      type="button"
      tabIndex={-1}
      className={`port nodrag nopan type-${family} ${outgoing ? "is-output" : "is-input"}`}
      style={{ marginTop: dotOffset(index, families.length) }}
      aria-label={families.length === 1 ? label : `${label}: ${family}`}
      title={
        ports
          .filter((port) => port.mode === "stream" && familyOf(port.type) === family)
          .map((port) => `${portLabel(t, { kind }, port)} · ${shortType(port.type)}`)
          .join("\n") || label
      }
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        event.preventDefault();
        const cardId = event.currentTarget.closest<HTMLElement>("[data-card-id]")?.dataset["cardId"];
        if (cardId === undefined) return;
        drawWithPointer(session, cardId, outgoing, { x: event.clientX, y: event.clientY });
      }}
    />
  ));
}
