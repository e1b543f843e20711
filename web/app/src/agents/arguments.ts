/** The words of a command as a person types them: split at spaces, quotes keep a word together. Null: a quote is open. */
export function splitArguments(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === "\\" && quote === '"' && '"\\'.includes(text.charAt(at + 1))) word += text.charAt(++at);
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (char === "\\" && at + 1 < text.length) word = (word ?? "") + text.charAt(++at);
    else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + char;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}
