import { PORT_TYPES, checkValue, coercePortValue, hasOwn, pickInputFor, portsCompatible } from "@cardloom/protocol";
import type { Issue, PeerInfo, PortInfo, PortTypeName } from "@cardloom/protocol";
import { CardSdkError } from "../errors";
import { invalidParams, permissionDenied } from "./gate";

/** A card that sends, asks or reads; `peers` stand in the order their arrows were drawn. */
export interface CardView {
  readonly outputs: readonly PortInfo[];
  readonly peers: readonly PeerInfo[];
  /** Its permissions with the closure applied. */
  readonly effective: ReadonlySet<string>;
}

/** A value on its way to one input of one peer. */
export interface Delivery {
  readonly peer: PeerInfo;
  readonly input: PortInfo;
  readonly data: unknown;
}

export interface Routed {
  readonly accepted: readonly Delivery[];
  /** Peers whose input does not take the value. */
  readonly refused: readonly Delivery[];
  /** Peers without a fitting input, or whose input needs a permission that the card lacks. */
  readonly skipped: readonly { readonly peer: PeerInfo; readonly permission: string | null }[];
}

/** Where an emitted value goes: every downstream peer with a fitting input. INVALID_PARAMS, NOT_FOUND (output). */
export function emit(sender: CardView, outputId: string, value: unknown): Routed {
  const output = outputOf(sender, outputId);
  checkOutput(output, value);
  const accepted: Delivery[] = [];
  const refused: Delivery[] = [];
  const skipped: { readonly peer: PeerInfo; readonly permission: string | null }[] = [];
  for (const peer of sender.peers.filter(({ direction }) => direction !== "upstream")) {
    const input = pickInputFor(output.type, peer.inputs);
    if (input === null || lacks(sender, input)) {
      skipped.push({ peer, permission: input?.permission ?? null });
    } else {
      const delivery = { peer, input, data: coercePortValue(output.type, input.type, value) };
      (portIssues(input, delivery.data).length === 0 ? accepted : refused).push(delivery);
    }
  }
  return { accepted, refused, skipped };
}

/** What one named peer gets; null when none of its inputs fits. */
export function send(sender: CardView, outputId: string, value: unknown, to: string, inputId?: string): Delivery | null {
  const output = outputOf(sender, outputId);
  checkOutput(output, value);
  const peer = peerOf(sender, to);
  if (peer.direction === "upstream") {
    throw new CardSdkError("NOT_CONNECTED", `The arrow points from ${to} to this card, not the other way.`);
  }
  const input = inputId === undefined ? pickInputFor(output.type, peer.inputs) : inputOf(peer, inputId);
  if (input === null) return null;
  if (lacks(sender, input)) throw permissionDenied(input.permission ?? "");
  if (!portsCompatible(output.type, input.type)) {
    throw new CardSdkError("INVALID_PARAMS", `${output.type} cannot become ${input.type} of input ${input.id}.`, []);
  }
  const data = coercePortValue(output.type, input.type, value);
  const issues = portIssues(input, data);
  if (issues.length > 0) throw invalidParams(issues, `input ${input.id}`);
  return { peer, input, data };
}

/** The question as a joined card gets it; the arrow's direction does not matter. */
export function ask(asker: CardView, to: string, inputId: string, value: unknown): Delivery {
  const peer = peerOf(asker, to);
  const input = inputOf(peer, inputId);
  if (input.mode !== "request") {
    throw new CardSdkError("INVALID_PARAMS", `Input ${inputId} takes values, not questions.`, []);
  }
  if (lacks(asker, input)) throw permissionDenied(input.permission ?? "");
  const issues = portIssues(input, value);
  if (issues.length > 0) throw invalidParams(issues, `input ${inputId}`);
  return { peer, input, data: value };
}

/** INVALID_PARAMS when an answer does not fit what the request input promises. */
export function checkAnswer(input: PortInfo, value: unknown): void {
  const issues = portIssues(input.response ?? { type: "ns:any" }, value);
  if (issues.length > 0) throw invalidParams(issues, `answer to ${input.id}`);
}

/** The output of a joined card whose kept value the reader may have, whichever way the arrow points. */
export function mayRead(reader: CardView, from: string, outputId: string): PortInfo {
  const output = peerOf(reader, from).outputs.find(({ id }) => id === outputId);
  if (output === undefined) throw new CardSdkError("NOT_FOUND", `${from} has no output ${outputId}.`);
  if (lacks(reader, output)) throw permissionDenied(output.permission ?? "");
  return output;
}

/** What is wrong with a value for a port: by its type's schema, else by its own. */
function portIssues({ type, schema }: Pick<PortInfo, "type" | "schema">, value: unknown): readonly Issue[] {
  const ofType = hasOwn(PORT_TYPES, type) ? checkValue(PORT_TYPES[type as PortTypeName], value) : [];
  return ofType.length > 0 || schema === undefined ? ofType : checkValue(schema, value);
}

function checkOutput(output: PortInfo, value: unknown): void {
  const issues = portIssues(output, value);
  if (issues.length > 0) throw invalidParams(issues, `output ${output.id}`);
}

function outputOf({ outputs }: CardView, id: string): PortInfo {
  const output = outputs.find((port) => port.id === id);
  if (output === undefined) throw new CardSdkError("NOT_FOUND", `This card has no output ${id}.`);
  return output;
}

function peerOf({ peers }: CardView, cardId: string): PeerInfo {
  const peer = peers.find((one) => one.cardId === cardId);
  if (peer === undefined) throw new CardSdkError("NOT_CONNECTED", `No arrow joins this card to ${cardId}.`);
  return peer;
}

function inputOf(peer: PeerInfo, id: string): PortInfo {
  const input = peer.inputs.find((port) => port.id === id);
  if (input === undefined) throw new CardSdkError("NOT_FOUND", `${peer.cardId} has no input ${id}.`);
  return input;
}

function lacks({ effective }: CardView, { permission }: PortInfo): boolean {
  return permission !== undefined && !effective.has(permission);
}
