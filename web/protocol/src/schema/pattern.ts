const compiled = new Map<string, RegExp | null>();
const MAX_KEPT = 512;

/** Whether a text is a regular expression in Unicode mode. */
export function isPattern(source: string): boolean {
  return patternOf(source) !== null;
}

/** Whether a pattern occurs in a text; an invalid pattern never does. */
export function patternFound(source: string, text: string): boolean {
  return patternOf(source)?.test(text) ?? false;
}

function patternOf(source: string): RegExp | null {
  const kept = compiled.get(source);
  if (kept !== undefined) return kept;
  if (compiled.size >= MAX_KEPT) compiled.clear();
  const pattern = compile(source);
  compiled.set(source, pattern);
  return pattern;
}

function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
