import { createStore } from "../state/store";
import type { Session } from "../state/session";
import type { MenuEntry } from "../shell/Menu";
import type { FileRef } from "./fileRef";
import { inputForFile, sendFile, sendingText } from "./sending";
import { nameOf, parentOf } from "./tree";

/** What the drawer asks before it changes anything on the disk; null while it asks nothing. */
type FileQuestion = { kind: "folder"; parent: string } | { kind: "trash"; path: string; isFolder: boolean };
export const fileQuestion = createStore<FileQuestion | null>(null);

const MISFITS_SHOWN = 6;

export function toggleFiles(session: Session): void {
  session.ui.update((ui) => ({ ...ui, filesOpen: !ui.filesOpen, agentsOpen: false }));
}

/** Opens the drawer with a file in it, at a line if the reference names one. */
export function openFile(session: Session, ref: FileRef): void {
  session.ui.update((ui) => (ui.filesOpen ? ui : { ...ui, filesOpen: true }));
  session.files.open(ref);
}

export async function copyPath(session: Session, path: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(path);
    session.toast((t) => t("asked.copied"), "default");
  } catch (error) {
    session.report("fail.copy", error);
  }
}

/** What can be done with a file or folder of the tree. */
export function entryMenu(session: Session, path: string, isFolder: boolean): MenuEntry[] {
  const { t } = session;
  const away = !session.online;
  const ask = (question: FileQuestion) => () => fileQuestion.set(question);
  return [
    ...(isFolder ? [] : [{ id: "open", label: t("files.open"), hint: "Enter", run: () => session.files.open({ path }) }]),
    { id: "copy", label: t("files.copyPath"), hint: "Ctrl C", run: () => void copyPath(session, path) },
    {
      id: "folder",
      label: t("files.newFolder"),
      disabled: away,
      run: ask({ kind: "folder", parent: isFolder ? path : parentOf(path) }),
    },
    {
      id: "trash",
      label: t("files.trash"),
      hint: "Del",
      tone: "danger",
      disabled: away,
      run: ask({ kind: "trash", path, isFolder }),
    },
    ...(isFolder ? [] : [{ id: "line", separator: true } as const, ...sendEntries(session, { path })]),
  ];
}

/** The cards that a reference can be sent to, and some that it cannot, with the reason. */
export function sendEntries(session: Session, ref: FileRef): MenuEntry[] {
  const { t } = session;
  const cards = [...(session.canvas.get()?.cards.values() ?? [])];
  const fits = cards.filter((card) => inputForFile(card) !== null);
  const misfits = cards.filter((card) => inputForFile(card) === null).slice(0, MISFITS_SHOWN);
  return [
    { id: "send", heading: cards.length === 0 ? t("files.noCards") : t("files.send", { file: nameOf(ref.path) }) },
    ...[...fits, ...misfits].map((card) => ({
      id: `send-${card.id}`,
      label: card.name,
      description: sendingText(t, card),
      disabled: !session.online || inputForFile(card) === null,
      run: () => void sendFile(session, card.id, ref),
    })),
  ];
}
