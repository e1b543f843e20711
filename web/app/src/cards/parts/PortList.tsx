import { familyOf, shortType } from "../../ports/families";
import type { PortInfo } from "../../wire/records";
import type { Card, Translate } from "../contract";
import styles from "./ports.module.css";

/** A card's ports by name, inputs at the left as their dots are, outputs at the right. */
export function PortList({ ports, t }: { ports: Card["ports"]; t: Translate }) {
  if (ports.inputs.length + ports.outputs.length === 0) return null;
  return (
    <div className={styles.ports}>
      <Side ports={ports.inputs} label={t("ports.inputs")} />
      <Side ports={ports.outputs} label={t("ports.outputs")} />
    </div>
  );
}

function Side({ ports, label }: { ports: readonly PortInfo[]; label: string }) {
  return (
    <ul aria-label={label}>
      {ports.map((port) => (
        <li key={port.id} title={`${port.label} · ${shortType(port.type)}`}>
          <i aria-hidden="true" style={{ background: `var(--type-${familyOf(port.type)})` }} />
          <span>{port.label}</span>
        </li>
      ))}
    </ul>
  );
}
