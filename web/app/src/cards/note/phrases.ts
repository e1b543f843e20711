import type { Translate } from "../contract";

/** What the editor's own panels say, by the words that it has built in. */
export function phrasesOf(t: Translate): Record<string, string> {
  return {
    Find: t("note.find"),
    Replace: t("note.replace"),
    next: t("note.findNext"),
    previous: t("note.findPrevious"),
    all: t("note.findAll"),
    "match case": t("note.matchCase"),
    regexp: t("note.regexp"),
    "by word": t("note.byWord"),
    replace: t("note.replaceOne"),
    "replace all": t("note.replaceAll"),
    close: t("app.close"),
    "current match": t("note.match"),
    "on line": t("note.onLine"),
    "replaced $ matches": t("note.replacedMany"),
    "replaced match on line $": t("note.replacedOnLine"),
    "Go to line": t("note.goToLine"),
    go: t("note.go"),
    "Selection deleted": t("note.deleted"),
  };
}
