import type { AnyPart } from "@cardloom/protocol/session";
import type { ChatWire } from "./model/wire";

/** A file that goes along with the next line. */
export interface Attachment {
  readonly name: string;
  /** Puts the file beside the session and gives the part that names it. */
  keep(wire: ChatWire, backend: string, sessionId: string): Promise<AnyPart>;
}

const TEXT = /^text\/|[/+](?:json|xml|yaml|javascript|typescript)$/;
const MAX_TEXT = 200_000;

/** Reads a file that a person picked or pasted. Pictures are shown, short texts are said to the model as they are. */
export async function attachmentOf(file: File): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mime = file.type === "" ? "application/octet-stream" : file.type;
  const isText = TEXT.test(mime) && bytes.length <= MAX_TEXT;
  return {
    name: file.name,
    keep: async (wire, backend, sessionId) => {
      const content = base64Of(bytes);
      const { ref } = await wire.call<{ ref: string }>(backend, "putAsset", { sessionId, name: file.name, mime, content });
      const meta = { name: file.name, mime, ref };
      if (mime.startsWith("image/")) return { type: "image", meta };
      return { type: "file", meta, ...(isText ? { text: new TextDecoder().decode(bytes) } : {}) };
    },
  };
}

export function base64Of(bytes: Uint8Array): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(letters);
}
