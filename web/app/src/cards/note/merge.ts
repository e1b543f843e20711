/** One change of a text: the characters from `from` to `to` give way to `insert`. Offsets count UTF-16 units. */
interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** The smallest single change that turns one text into another, or null when they are the same. */
export function textChange(before: string, after: string): TextChange | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (splitsPair(before, start) || splitsPair(after, start)) start -= 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end += 1;
  }
  if (splitsPair(before, before.length - end) || splitsPair(after, after.length - end)) end -= 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/** True when a cut at an offset would part the two halves of one character. */
function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/**
 * Both changes of a text in one, or null when they touch the same place and a person must choose.
 * Two insertions at one spot touch, since neither order is right.
 */
export function merged(base: string, mine: string, theirs: string): string | null {
  if (mine === theirs) return mine;
  const own = textChange(base, mine);
  const other = textChange(base, theirs);
  if (own === null) return theirs;
  if (other === null) return mine;
  const [first, second] = own.from <= other.from ? [own, other] : [other, own];
  if (first.to > second.from || (first.to === second.from && !(first.to > first.from && second.to > second.from))) {
    return null;
  }
  return (
    base.slice(0, first.from) + first.insert + base.slice(first.to, second.from) + second.insert + base.slice(second.to)
  );
}
