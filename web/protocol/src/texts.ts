import { LOCALES } from "./generated";
import { hasOwn } from "./json";

/** One text for all languages, or a text a language, of which `en` is there always. */
export type LocalizedText = string | { readonly [language: string]: string | undefined };

/** Texts by key; a table inside a table adds `key.` in front of its own keys. */
export interface Messages {
  readonly [key: string]: string | Messages;
}

const FALLBACK_LANGUAGE = "en";
const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;
const NOT_IN_LINE = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const NOT_IN_BLOCK = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** The text for a language, else the English one; an empty text is kept, and no text at all gives "". */
export function localized(text: LocalizedText | null | undefined, language: string): string | undefined {
  if (text === undefined || text === null) return "";
  if (typeof text === "string") return text;
  const own = (name: string) => (hasOwn(text, name) ? text[name] : undefined);
  return own(language) ?? own(FALLBACK_LANGUAGE);
}

/** The first character that a manifest text may not hold, as `U+200B`, or null: it could hide or reorder words. */
export function forbiddenCharacter(text: string, { multiline = false } = {}): string | null {
  const found = (multiline ? NOT_IN_BLOCK : NOT_IN_LINE).exec(text);
  const point = found?.[0].codePointAt(0);
  return point === undefined ? null : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A number as a locale writes it: groups of three, at most three decimals, halves away from zero. */
export function formatNumber(value: number, locale: string): string {
  return new Intl.NumberFormat(usable(locale), { maximumFractionDigits: 3 }).format(value);
}

/** The plural category of a count in a locale: `one`, `few`, `many` or `other`. */
export function pluralCategory(count: number, locale: string): string {
  return new Intl.PluralRules(usable(locale)).select(count);
}

/** Looks up texts by key in the active language, falling back to English, then to the key itself. */
export class Translator {
  readonly #texts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #listeners = new Set<() => void>();
  #language: string;
  #locale: string;

  constructor(messages: Readonly<Record<string, Messages>>, language: string = FALLBACK_LANGUAGE, locale?: string) {
    this.#texts = new Map(Object.entries(messages).map(([name, table]) => [name, new Map(flattened(table, ""))]));
    this.#language = language;
    this.#locale = locale ?? localeFor(language);
  }

  /** The active language, such as `ru`. */
  get language(): string {
    return this.#language;
  }

  /** The locale whose number and plural rules apply, such as `ru-RU`. */
  get locale(): string {
    return this.#locale;
  }

  /**
   * The text of `key` with each `{{ name }}` replaced by the value of that name.
   *
   * A number under `count` picks a plural form by the active locale, wherever the text is then found. Unknown names
   * leave their placeholder standing, numbers are written the locale's way, inserted text is not read again.
   */
  translate(key: string, values?: Readonly<Record<string, unknown>>): string {
    const found = this.#find(key, values);
    if (found === undefined || values === undefined) return found ?? key;
    return found.replace(PLACEHOLDER, (placeholder, name: string) => {
      const value = hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || value === null) return placeholder;
      return typeof value === "number" ? formatNumber(value, this.#locale) : String(value);
    });
  }

  /** Switches to a language, by default with its own locale; listeners hear of real changes alone. */
  setLanguage(language: string, locale: string = localeFor(language)): void {
    if (language === this.#language && locale === this.#locale) return;
    this.#language = language;
    this.#locale = locale;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` after each change of language or locale; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #find(key: string, values: Readonly<Record<string, unknown>> | undefined): string | undefined {
    const count = values && hasOwn(values, "count") ? values["count"] : undefined;
    const keys =
      typeof count === "number" ? [`${key}_${pluralCategory(count, this.#locale)}`, `${key}_other`, key] : [key];
    const tables = [this.#texts.get(this.#language), this.#texts.get(FALLBACK_LANGUAGE)];
    for (const candidate of keys) {
      for (const table of tables) {
        const text = table?.get(candidate);
        if (text !== undefined) return text;
      }
    }
    return undefined;
  }
}

function flattened(table: Messages, prefix: string): [string, string][] {
  return Object.entries(table).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[prefix + key, value]] : flattened(value, `${prefix}${key}.`),
  );
}

function localeFor(language: string): string {
  return hasOwn(LOCALES, language) ? LOCALES[language as keyof typeof LOCALES] : LOCALES[FALLBACK_LANGUAGE];
}

/** A locale that `Intl` takes: one that is no language tag is written the English way. */
function usable(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? LOCALES[FALLBACK_LANGUAGE];
  } catch (error) {
    if (error instanceof RangeError) return LOCALES[FALLBACK_LANGUAGE];
    throw error;
  }
}
