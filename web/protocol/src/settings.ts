import type { LocalizedText } from "./texts";

export type SettingType = "string" | "text" | "number" | "boolean" | "select" | "secret" | "color";
export type SettingValue = string | number | boolean;

/** One setting as the manifest declares it; its scope is `instance` when not given. */
export interface SettingDefinition {
  readonly key: string;
  readonly type: SettingType;
  readonly label: LocalizedText;
  readonly description?: LocalizedText;
  readonly placeholder?: LocalizedText;
  readonly default?: SettingValue;
  readonly required?: boolean;
  readonly scope?: "instance" | "package";
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly options?: readonly { readonly value: string; readonly label: LocalizedText }[];
}

/** Why a value was refused. */
export interface SettingIssue {
  readonly key: string;
  readonly message: string;
}

const MAX_LENGTH = 2000;
const MAX_TEXT_LENGTH = 20_000;

/** The declared defaults by key. Secrets have none; of two definitions of a key the later counts. */
export function settingDefaults(definitions: readonly SettingDefinition[]): Record<string, SettingValue> {
  const entries = definitions.flatMap(({ key, type, default: value }): [string, SettingValue][] =>
    type === "secret" || value === undefined ? [] : [[key, value]],
  );
  return Object.fromEntries(entries);
}

/** What forbids a card to set these values, at most one issue a key, in the order of the values. */
export function checkSettings(
  definitions: readonly SettingDefinition[],
  values: Readonly<Record<string, unknown>>,
): SettingIssue[] {
  const byKey = new Map(definitions.map((definition) => [definition.key, definition]));
  return Object.keys(values).flatMap((key) => {
    const definition = byKey.get(key);
    const message = definition ? settingFault(definition, values[key]) : `There is no setting ${JSON.stringify(key)}.`;
    return message === null ? [] : [{ key, message }];
  });
}

/** Why a setting cannot hold a value, or null when it can. */
export function settingFault(definition: SettingDefinition, value: unknown): string | null {
  switch (definition.type) {
    case "secret":
      return "A secret is set in the settings form alone.";
    case "boolean":
      return typeof value === "boolean" ? null : "The value must be true or false.";
    case "number":
      return isNumber(value) ? rangeFault(definition, value) : "The value must be a number.";
    case "select":
      return isOption(definition, value) ? null : "The value must be one of the options.";
    case "color":
      return isColor(value) ? null : "The value must be a colour written as #rrggbb.";
    case "string":
    case "text":
      return textFault(definition, value);
  }
}

/** How a number leaves the range of its setting, or null. */
export function rangeFault({ min, max }: SettingDefinition, value: number): string | null {
  if (min !== undefined && value < min) return `The value must be at least ${min}.`;
  if (max !== undefined && value > max) return `The value must be at most ${max}.`;
  return null;
}

/** Whether a value is exactly one of the options of a `select` setting. */
export function isOption({ options = [] }: SettingDefinition, value: unknown): boolean {
  return options.some((option) => option.value === value);
}

/** Whether a value is a colour as settings keep it, `#rrggbb` in either letter case. */
export function isColor(value: unknown): boolean {
  return typeof value === "string" && /^#[0-9a-fA-F]{6}$/.test(value);
}

/** Whether a value is a finite number. */
export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function textFault({ type, maxLength }: SettingDefinition, value: unknown): string | null {
  if (typeof value !== "string") return "The value must be a text.";
  const most = maxLength ?? (type === "text" ? MAX_TEXT_LENGTH : MAX_LENGTH);
  return value.length > most ? `The text may have at most ${most} characters.` : null;
}
