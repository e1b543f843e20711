import { memo } from "react";
import type { Card, PortInfo } from "../wire/records";
import { familyOf, shortType, type TypeFamily } from "../ports/families";
import { familiesOf } from "../ports/flows";
import { useSession, useT } from "../shell/context";
import { drawWithPointer } from "./drawing";
import { dotOffset } from "./geometry";

/** The dots at a card's sides, one a family of types: outputs at the right, inputs at the left. */
export const Ports = memo(function Ports({ ports, name }: { ports: Card["ports"]; name: string }) {
  return (
    <>
      <Dots ports={ports.inputs} name={name} outgoing={false} />
      <Dots ports={ports.outputs} name={name} outgoing />
    </>
  );
});

function Dots({ ports, name, outgoing }: { ports: readonly PortInfo[]; name: string; outgoing: boolean }) {
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
      title={describe(ports, family) || label}
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

function describe(ports: readonly PortInfo[], family: TypeFamily): string {
  return ports
    .filter((port) => port.mode === "stream" && familyOf(port.type) === family)
    .map((port) => `${port.label} · ${shortType(port.type)}`)
    .join("\n");
}
