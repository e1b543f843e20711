/** A command as a person types it: words with blanks between, quotes around words that hold some. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let begun = false;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (quote !== null) {
      if (char === quote) quote = null;
      else word += char === "\\" && quote === '"' && /["\\]/.test(line[at + 1] ?? "") ? (line[++at] ?? "") : char;
    } else if (char === '"' || char === "'") {
      quote = char;
      begun = true;
    } else if (/\s/.test(char)) {
      if (begun) words.push(word);
      word = "";
      begun = false;
    } else {
      word += char === "\\" && /[\s"'\\]/.test(line[at + 1] ?? "") ? (line[++at] ?? "") : char;
      begun = true;
    }
  }
  if (begun) words.push(word);
  return words;
}

/** The line that `wordsOf` reads back. */
export function lineOf(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, "\\$&")}"`)).join(" ");
}
