import type { NoteCard } from "../../wire/records";
import type { OverviewText, Translate } from "../contract";

/** The first line that says something, without its Markdown marks. */
export function firstLine(text: string): string {
  for (const line of text.split("\n", 40)) {
    const words = line
      .replace(/^[\s>#*+-]+|^\s*\d+[.)]\s+/g, "")
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[*_`~]+/g, "")
      .trim();
    if (words !== "") return words.slice(0, 120);
  }
  return "";
}

export function noteOverview(card: NoteCard, t: Translate): OverviewText {
  return { primary: firstLine(card.content.text) || t("note.empty") };
}
