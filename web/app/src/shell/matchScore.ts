/**
 * How well a text answers a few typed letters; 0 when it does not.
 *
 * Each typed word has to occur: at the beginning of the text, of a word, anywhere, or letter by letter in order.
 */
export function matchScore(text: string, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return 1;
  const where = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const one = wordScore(where, word);
    if (one === 0) return 0;
    score += one;
  }
  return score / words.length;
}

interface Findable {
  group: string;
  label: string;
  detail?: string;
}

/** What answers the typed letters: the best hit leads, and its whole group comes with it, so that each heading is one. */
export function findGrouped<T extends Findable>(all: readonly T[], query: string): T[] {
  const found = all
    .map((one) => ({ one, score: matchScore(`${one.label} ${one.detail ?? ""}`, query) }))
    .filter(({ score }) => score > 0);
  const groups = new Map<string, typeof found>();
  for (const hit of found) groups.set(hit.one.group, [...(groups.get(hit.one.group) ?? []), hit]);
  if (query.trim() === "") return [...groups.values()].flat().map(({ one }) => one);
  return [...groups.values()]
    .map((group) => group.sort((a, b) => b.score - a.score))
    .sort((a, b) => (b[0]?.score ?? 0) - (a[0]?.score ?? 0))
    .flat()
    .map(({ one }) => one);
}

function wordScore(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === 0) return 4;
  if (at > 0) return /[\s\p{P}]/u.test(text[at - 1] ?? "") ? 3 : 2;
  let from = 0;
  for (const letter of word) {
    const found = text.indexOf(letter, from);
    if (found < 0) return 0;
    from = found + 1;
  }
  return 0.5;
}
