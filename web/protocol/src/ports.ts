import { COERCIONS } from "./generated";
import type { Coercion } from "./generated";
import type { PeerInfo, PortInfo } from "./model";
import { hasOwn } from "./json";

/** How a value changes on its way; null: an output of that type does not reach an input of this one. */
export type PortCoercion = Coercion | null;

type PickableInput = Pick<PortInfo, "id" | "type"> & Partial<Pick<PortInfo, "mode" | "default">>;
type PeerInput = PickableInput & { readonly permission?: string | null };

const MAX_TASKS = 200;
const MAX_TASK_CHARS = 500;
const BULLET = /^\s*(?:[-*+]|[0-9]+[.)])\s+(?:\[[ xX]\]\s+)?/;

/** Tells how a value of one port type becomes one of another. Types that are equal need no change. */
export function portCoercion(from: string, to: string): PortCoercion {
  if (from === to) return "exact";
  if (to === "ns:any") return "any";
  const sources = hasOwn(COERCIONS, to) ? COERCIONS[to] : undefined;
  return sources && hasOwn(sources, from) ? (sources[from] ?? null) : null;
}

/** Whether an output of the type `from` reaches an input of the type `to`. */
export function portsCompatible(from: string, to: string): boolean {
  return portCoercion(from, to) !== null;
}

/**
 * The value as an input of the type `to` receives it; the pair has to be compatible.
 *
 * Nothing is validated here. A trigger is always `{}`, whatever was sent.
 */
export function coercePortValue(from: string, to: string, value: unknown): unknown {
  if (to === "ns:trigger") return {};
  switch (portCoercion(from, to)) {
    case "stringify":
      return String(value);
    case "json-text":
      return JSON.stringify(value, null, 2);
    case "json-markdown":
      return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
    case "table-markdown":
      return tableMarkdown(value as Table);
    case "tasks-markdown":
      return (value as readonly Task[]).map(taskLine).join("\n");
    case "wrap-array":
      return [value];
    case "lines-to-tasks":
      return linesToTasks(value as string);
    case "exact":
    case "any":
    case "identity":
    case null:
      return value;
  }
}

/** The input that a value of a type goes to: the default one, else one of the same type, else the first that fits. */
export function pickInputFor<Input extends PickableInput>(type: string, inputs: readonly Input[]): Input | null {
  const fitting = inputs.filter((input) => input.mode === "stream" && portsCompatible(type, input.type));
  const chosen = fitting.find((input) => input.default === true) ?? fitting.find((input) => input.type === type);
  return chosen ?? fitting[0] ?? null;
}

/**
 * The permission a card needs to send to a joined card, or null when it needs none.
 *
 * The input is the one named, else the one a value of `outputType` would go to, else the peer's default, else its first.
 */
export function permissionForPeer(
  peer: { readonly inputs: readonly PeerInput[] },
  options: { readonly input?: string; readonly outputType?: string } = {},
): string | null {
  return chosenInput(peer.inputs, options)?.permission ?? null;
}

function chosenInput(
  inputs: readonly PeerInput[],
  options: { readonly input?: string; readonly outputType?: string },
): PeerInput | null | undefined {
  if (options.input) return inputs.find((input) => input.id === options.input);
  if (options.outputType) return pickInputFor(options.outputType, inputs);
  return inputs.find((input) => input.default === true) ?? inputs[0];
}

/** Whether any joined card receives what this card sends. */
export function hasDownstreamPeer(peers: readonly Pick<PeerInfo, "direction">[]): boolean {
  return peers.some((peer) => peer.direction !== "upstream");
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

interface Task {
  readonly text: string;
  readonly status?: string;
}

function tableMarkdown(table: Table): string {
  const row = (cells: readonly unknown[]) => `| ${cells.map(tableCell).join(" | ")} |`;
  const rows = table.rows.map((cells) => row(table.columns.map((_, index) => cells[index])));
  return [row(table.columns), row(table.columns.map(() => "---")), ...rows].join("\n");
}

function tableCell(cell: unknown): string {
  return cell === null || cell === undefined ? "" : String(cell).replace(/\|/g, "\\|").replace(/\r?\n/g, " ");
}

function taskLine(task: Task): string {
  return `- [${task.status === "done" ? "x" : " "}] ${task.text}`;
}

function linesToTasks(text: string): Task[] {
  const texts = text.split(/\r?\n/).map((line) => line.replace(BULLET, "").trim());
  return texts
    .filter((line) => line !== "")
    .slice(0, MAX_TASKS)
    .map((line) => ({ text: line.slice(0, MAX_TASK_CHARS) }));
}
