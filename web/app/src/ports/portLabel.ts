import type { TextKey, Translate } from "../i18n/catalogue";
import type { Card, PortInfo } from "../wire/records";

/** The ports of the canvas's own cards, whose names the page knows in every language. */
const OWN_PORTS: Readonly<Record<string, TextKey>> = {
  "note append": "port.append",
  "note replace": "port.replace",
  "note text": "port.text",
  "todo add": "port.add",
  "todo update": "port.update",
  "todo items": "port.items",
  "kanban add": "port.add",
  "kanban update": "port.update",
  "kanban tasks": "port.tasks",
  "sticky title": "port.title",
  "terminal command": "port.command",
  "terminal exit": "port.exit",
};

/** A port's name for people: in their language where it is one of ours, else as its package wrote it. */
export function portLabel(t: Translate, card: Pick<Card, "kind">, port: Pick<PortInfo, "id" | "label">): string {
  const key = OWN_PORTS[`${card.kind} ${port.id}`];
  return key === undefined ? port.label : t(key);
}
