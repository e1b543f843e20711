import type { NoteCard } from "../../wire/records";
import type { CardApi } from "../contract";
import { failureOf } from "../../connection/failure";
import { sayFailure } from "../parts/failure";
import { NoteSync, type SaveAnswer } from "./sync";

const quietMs = 400;
const retryMs = 3000;

interface Session {
  sync: NoteSync;
  api: CardApi;
  bodies: number;
}

/** Notes open on this page, and those whose body is gone while their text is still on its way. */
const sessions = new Map<string, Session>();

/** The note's session; the same one for as long as it has unsaved text or a body. */
export function noteSession(card: NoteCard, api: CardApi): NoteSync {
  const known = sessions.get(card.id);
  if (known !== undefined) return known.sync;
  const sync: NoteSync = new NoteSync(
    { revision: card.revision, text: card.content.text },
    {
      quietMs,
      retryMs,
      save: (baseRevision, text) =>
        session.api.call<SaveAnswer>("note.edit", { cardId: card.id, baseRevision, text }),
      final: (error) => failureOf(error).code === "NOT_FOUND",
      onFailure: (error) => sayFailure(session.api, "note.saving", card.name, error),
    },
  );
  const session: Session = { api, bodies: 0, sync };
  sessions.set(card.id, session);
  sync.listen(() => dropIfDone(card.id, session));
  return sync;
}

/**
 * A body shows the note; gives the function that says it no longer does, and saves what waits. What could not be saved
 * while the card was away, as one that somebody deleted and brought back, is saved now that it is here again.
 */
export function holdNote(cardId: string, api: CardApi): () => void {
  const session = sessions.get(cardId);
  if (session === undefined) return () => undefined;
  session.api = api;
  session.bodies += 1;
  session.sync.flush();
  return () => {
    session.bodies -= 1;
    session.sync.flush();
    // React's strict mode lets go and takes hold again at once; only then is it known that nobody does.
    queueMicrotask(() => dropIfDone(cardId, session));
  };
}

function dropIfDone(cardId: string, session: Session): void {
  if (session.bodies === 0 && session.sync.settled && sessions.get(cardId) === session) sessions.delete(cardId);
}

/** Saves every note at once, as when the page is about to go; true when text would be lost with it. */
function flushNotes(): boolean {
  let unsaved = false;
  for (const { sync } of sessions.values()) {
    sync.flush();
    unsaved ||= !sync.settled;
  }
  return unsaved;
}

window.addEventListener("beforeunload", (event) => {
  if (flushNotes()) event.preventDefault();
});
