import type { Language } from "../wire/records";

/** A text with one form a plural category; `count` among the values picks it. */
export interface PluralText {
  one?: string;
  few?: string;
  many?: string;
  other: string;
}
export type Text = string | PluralText;
export type TextRow = Readonly<Record<Language, Text>>;
export type TextValues = Readonly<Record<string, string | number>>;

/** Keeps the keys of a table as literal types, so that a wrong key or a missing language fails the type check. */
export function texts<const Table extends Readonly<Record<string, TextRow>>>(table: Table): Table {
  return table;
}

const rules: Record<Language, Intl.PluralRules> = {
  en: new Intl.PluralRules("en"),
  ru: new Intl.PluralRules("ru"),
  zh: new Intl.PluralRules("zh"),
};

/** The text of a row in a language, its `{name}` places filled. */
export function fillText(row: TextRow, language: Language, values: TextValues = {}): string {
  const text = row[language];
  const form = typeof text === "string" ? text : pluralForm(text, language, values["count"]);
  return form.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : String(value);
  });
}

function pluralForm(text: PluralText, language: Language, count: string | number | undefined): string {
  const category = rules[language].select(Number(count ?? 0));
  return (text as unknown as Partial<Record<Intl.LDMLPluralRule, string>>)[category] ?? text.other;
}
