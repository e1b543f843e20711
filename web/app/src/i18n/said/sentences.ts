import { saidOfAgents } from "./agents";
import { saidOfBackends } from "./backends";
import { saidOfCanvas } from "./canvas";
import { saidOfChats } from "./chats";
import { saidOfFiles } from "./files";
import { saidOfManifests } from "./manifests";
import { saidOfPackages } from "./packages";

/** Every sentence of the server that the page knows in the person's language. */
export const sentences = {
  ...saidOfCanvas,
  ...saidOfAgents,
  ...saidOfPackages,
  ...saidOfManifests,
  ...saidOfFiles,
  ...saidOfChats,
  ...saidOfBackends,
};

export type SentenceKey = keyof typeof sentences;

interface Found {
  readonly key: SentenceKey;
  /** What stands at the places, as the server wrote it. */
  readonly values: Readonly<Record<string, string>>;
}

interface Form {
  readonly key: SentenceKey;
  readonly places: readonly string[];
  readonly pattern: RegExp;
}

/** What is longer is no sentence of ours, and patterns are slow on it. */
const MAX_CHARS = 2000;
const PLACE = /\{(\w+)\}/;
let known: readonly Form[] | null = null;

/** Which sentence a message of the server is, and what it names; null for one of a later server or a foreign program. */
export function sentenceOf(message: string): Found | null {
  if (message.length > MAX_CHARS) return null;
  known ??= forms();
  for (const { key, places, pattern } of known) {
    const found = pattern.exec(message);
    if (found !== null) return { key, values: Object.fromEntries(places.map((place, at) => [place, found[at + 1] ?? ""])) };
  }
  return null;
}

/** The sentences as patterns, the one with the most words of its own first: it says the most. */
function forms(): readonly Form[] {
  const length = (key: string) => key.split(new RegExp(PLACE, "g")).filter((_, at) => at % 2 === 0).join("").length;
  const keys = (Object.keys(sentences) as SentenceKey[]).sort((one, two) => length(two) - length(one));
  return keys.map((key) => {
    // Every second piece is the name of a place.
    const pieces = key.split(new RegExp(PLACE, "g"));
    const source = pieces.map((piece, at) => (at % 2 === 0 ? piece.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") : "(.*?)")).join("");
    return { key, places: pieces.filter((_, at) => at % 2 === 1), pattern: new RegExp(`^${source}$`, "s") };
  });
}
