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
  "agent prompt": "port.prompt",
  "agent status": "port.status",
  "agent reply": "port.reply",
  "chat prompt": "port.prompt",
  "chat reply": "port.reply",
  "chat status": "port.status",
};

/** A port's name for people: in their language where it is one of ours, else as its package wrote it. */
export function portLabel(t: Translate, card: Pick<Card, "kind">, port: Pick<PortInfo, "id" | "label">): string {
  const key = OWN_PORTS[`${card.kind} ${port.id}`];
  return key === undefined ? port.label : t(key);
}

/** What a port is for: in the person's language where the port is one of ours. */
export function portHint(t: Translate, card: Pick<Card, "kind">, port: PortInfo): string | undefined {
  const key = `${card.kind} ${port.id}`;
  if (key === "sticky title") return t(port.retain ? "portHint.stickyOut" : "portHint.stickyIn");
  const hint = OWN_HINTS[key];
  return hint === undefined ? port.description : t(hint);
}

const OWN_HINTS: Readonly<Record<string, TextKey>> = {
  "note append": "portHint.append",
  "note replace": "portHint.replace",
  "note text": "portHint.text",
  "todo add": "portHint.addItems",
  "todo update": "portHint.updateItem",
  "todo items": "portHint.items",
  "kanban add": "portHint.addTasks",
  "kanban update": "portHint.updateTask",
  "kanban tasks": "portHint.tasks",
  "terminal command": "portHint.command",
  "terminal exit": "portHint.exit",
  "agent prompt": "portHint.prompt",
  "agent status": "portHint.status",
  "agent reply": "portHint.reply",
  "chat prompt": "portHint.chatPrompt",
  "chat reply": "portHint.chatReply",
  "chat status": "portHint.chatStatus",
};
