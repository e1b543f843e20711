import type { FileContent } from "@cardloom/protocol/session";

/** What is typed into a file and not saved, beside what the file held when that began. */
export interface FileDraft {
  readonly text: string;
  readonly content: FileContent;
}

const drafts = new Map<string, FileDraft>();

/** What was typed stays with its file until it is saved or let go, also while another file is shown. */
export function draftOf(place: string): FileDraft | null {
  return drafts.get(place) ?? null;
}

export function keepDraft(place: string, draft: FileDraft | null): void {
  if (draft === null || draft.text === draft.content.content) drafts.delete(place);
  else drafts.set(place, draft);
}
