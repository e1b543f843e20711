import { pickInputFor, portCoercion } from "@cardloom/protocol";
import { portLabel } from "../ports/portLabel";
import { shortType } from "../ports/families";
import type { Translate } from "../i18n/catalogue";
import type { Session } from "../state/session";
import type { Card, PortInfo } from "../wire/records";
import { refText, type FileRef } from "./fileRef";
import { nameOf } from "./tree";

const FILE_REF = "ns:file-ref";

/** The input of a card that takes a reference to a file; null when none does. */
export function inputForFile(card: Pick<Card, "ports">): PortInfo | null {
  const input = pickInputFor(FILE_REF, card.ports.inputs);
  return input !== null && portCoercion(FILE_REF, input.type) !== null ? input : null;
}

/** What letting go of a file over a card would do, or why it would do nothing. */
export function sendingText(t: Translate, card: Pick<Card, "kind" | "name" | "ports">): string {
  const input = inputForFile(card);
  if (input !== null) return t("files.fits", { input: portLabel(t, card, input) });
  if (card.ports.inputs.length === 0) return t("match.receiver", { to: card.name });
  const types = [...new Set(card.ports.inputs.map((port) => shortType(port.type)))].join(", ");
  return t("files.misfit", { name: card.name, types });
}

/** Sends a reference in the owner's name, or says why the card cannot take it. */
export async function sendFile(session: Session, cardId: string, ref: FileRef): Promise<void> {
  const card = session.canvas.get()?.cards.get(cardId);
  if (card === undefined) return;
  if (inputForFile(card) === null) {
    session.toast((t) => sendingText(t, card), "warning");
    return;
  }
  try {
    const { delivered, outcome } = await session.client.call("ports.deliver", { to: cardId, data: ref, type: FILE_REF });
    const values = { file: nameOf(refText(ref)), name: card.name };
    if (delivered > 0) session.toast((t) => t("files.sent", values), "success");
    else session.toast((t) => t("files.notTaken", { ...values, outcome: t(`outcome.${outcome}`) }), "warning");
  } catch (error) {
    session.report("fail.sendFile", error);
  }
}
