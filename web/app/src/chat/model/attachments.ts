import type { AnyPart } from "@cardloom/protocol/session";
import type { ChatWire } from "./wire";

/** A file that goes along with the next line; its content is base64. */
export interface Attachment {
  readonly name: string;
  readonly mime: string;
  readonly content: string;
}

const TEXT = /^text\/|[/+](?:json|xml|yaml|javascript|typescript)$/;
const MAX_TEXT_BYTES = 200_000;

/** Reads a file that a person picked or pasted. */
export async function attachmentOf(file: File): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, mime: file.type === "" ? "application/octet-stream" : file.type, content: base64Of(bytes) };
}

/** Puts the file beside the session and gives the part that names it. Pictures are shown, short texts are said to the model as they are. */
export async function keepAttachment(wire: ChatWire, backend: string, sessionId: string, file: Attachment): Promise<AnyPart> {
  const { name, mime, content } = file;
  const { ref } = await wire.call<{ ref: string }>(backend, "putAsset", { sessionId, name, mime, content });
  const meta = { name, mime, ref };
  if (mime.startsWith("image/")) return { type: "image", meta };
  const bytes = TEXT.test(mime) ? bytesOf(content) : null;
  return { type: "file", meta, ...(bytes === null || bytes.length > MAX_TEXT_BYTES ? {} : { text: new TextDecoder().decode(bytes) }) };
}

export function base64Of(bytes: Uint8Array): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(letters);
}

function bytesOf(content: string): Uint8Array {
  return Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
}
