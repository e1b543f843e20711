import { useEffect } from "react";
import { revealed } from "../canvas/viewport";
import type { Session } from "../state/session";

interface Copied {
  writeId: string;
  name: string;
  text: string;
}

/** Does what cards ask of this page: bring a card into view, open a settings form, put text on the clipboard. */
export function usePageWork(session: Session): void {
  useEffect(() => {
    const { client } = session;
    const stops = [
      client.on("canvas.focus", ({ workspaceId, cardId }: { workspaceId: string; cardId: string }) => {
        if (workspaceId === session.workspaceId) revealed.set({ cardId });
      }),
      client.on("card.openSettings", ({ cardId }: { cardId: string }) => {
        session.ui.update((ui) => ({ ...ui, settingsOf: cardId }));
      }),
      client.on("clipboard.write", (asked: Copied) => void copy(session, asked)),
    ];
    return () => stops.forEach((stop) => stop());
  }, [session]);
}

/** Copies and says so, to the person and to the server: whoever asked waits for it. */
async function copy(session: Session, { writeId, name, text }: Copied): Promise<void> {
  let reason: string | null = null;
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  const said = reason === null ? "asked.copied" : "asked.notCopied";
  session.toasts.show((t) => t(said), reason === null ? "default" : "warning", { from: name });
  const told = reason === null ? { ok: true } : { ok: false, reason: reason.slice(0, 500) };
  session.client.call("clipboard.written", { writeId, ...told }).catch(() => undefined);
}
