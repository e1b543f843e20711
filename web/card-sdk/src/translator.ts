import { Translator } from "@cardloom/protocol";
import type { Messages } from "@cardloom/protocol";
import type { I18n, Stop } from "./types";

/** The texts of a card in the language in use. */
export interface CardTranslator {
  readonly language: string;
  readonly locale: string;
  /**
   * The text of a key, such as `list.empty`, with `{{ name }}` filled in. A number under `count` picks the plural form
   * from `key_one`, `key_few`, `key_many`, `key_other`. Missing texts are taken from English, then the key is shown.
   */
  t(key: string, values?: Readonly<Record<string, unknown>>): string;
  /** Switches to a language, with its own locale if none is named. */
  setLanguage(language: string, locale?: string): void;
  /** Calls a function after each change of language or locale. */
  onChange(listener: () => void): Stop;
}

/** A card, as far as a translator follows it. */
export interface I18nSource {
  readonly i18n: I18n;
  on(event: "i18n.changed", handler: (i18n: I18n) => void): Stop;
}

export interface TranslatorStart {
  readonly language?: string | undefined;
  readonly locale?: string | undefined;
}

/** Texts by language, then by key; English has them all. Given a card, the translator follows its language. */
export function createTranslator(
  messages: Readonly<Record<string, Messages>>,
  start: string | TranslatorStart | I18nSource = {},
): CardTranslator {
  const { language, locale } = startOf(start);
  const translator = new Translator(messages, language, locale);
  if (isSource(start)) start.on("i18n.changed", (i18n) => translator.setLanguage(i18n.language, i18n.locale));
  return {
    get language() {
      return translator.language;
    },
    get locale() {
      return translator.locale;
    },
    t: (key, values) => translator.translate(key, values),
    setLanguage: (...to) => translator.setLanguage(...to),
    onChange: (listener) => translator.onChange(listener),
  };
}

function startOf(start: string | TranslatorStart | I18nSource): TranslatorStart {
  if (typeof start === "string") return { language: start };
  return isSource(start) ? start.i18n : start;
}

function isSource(start: string | TranslatorStart | I18nSource): start is I18nSource {
  return typeof start === "object" && "i18n" in start;
}
