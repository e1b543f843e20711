/** A number and what it counts, as in "3 failing". */
interface Figure {
  value: string;
  label: string;
}

const figure = /^([+-]?[\d.,/:%$€£]*\d[\d.,/:%$€£]*(?:\s?[kMG%])?)\s+(\S.*)$/;

/** Parts a text that begins with a number, so that the number can be set large; null for any other. */
export function figureOf(text: string): Figure | null {
  const found = figure.exec(text.trim());
  return found === null ? null : { value: found[1] ?? "", label: found[2] ?? "" };
}

/** The texts of a tile as figures, several parted by "·" or ","; null unless every part is one. */
export function figuresOf(texts: readonly (string | null)[]): Figure[] | null {
  const parts = texts.flatMap((text) => (text === null ? [] : text.split(/\s*[·,;]\s+/))).filter((part) => part !== "");
  const figures = parts.map(figureOf).filter((each) => each !== null);
  return figures.length > 0 && figures.length === parts.length && figures.length <= 4 ? figures : null;
}
