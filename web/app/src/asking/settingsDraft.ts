import type { SettingField, SettingsForm } from "../wire/records";

type SettingValue = string | number | boolean;

/** What a person typed into one field; null is "nothing of one's own": the default, or no value. */
export type Entry = string | boolean | null;

/** What happens to a secret when the form is saved. */
export type SecretEntry = { kind: "keep" } | { kind: "set"; text: string } | { kind: "remove" };

export interface Draft {
  values: Readonly<Record<string, Entry>>;
  secrets: Readonly<Record<string, SecretEntry>>;
}

export const KEEP: SecretEntry = { kind: "keep" };

/** The form as it is opened: the values in force. */
export function draftOf(form: SettingsForm): Draft {
  const values: Record<string, Entry> = {};
  const secrets: Record<string, SecretEntry> = {};
  for (const field of form.fields) {
    if (field.type === "secret") secrets[field.key] = KEEP;
    else values[field.key] = entryOf(form.values[field.key]);
  }
  return { values, secrets };
}

function entryOf(value: SettingValue | undefined): Entry {
  if (value === undefined) return null;
  return typeof value === "number" ? String(value) : value;
}

interface Changes {
  values: Record<string, SettingValue | null>;
  secrets: Record<string, string | null>;
  /** What is wrong with an entry, by its field. */
  faults: Readonly<Record<string, Fault>>;
}

/** Why an entry cannot be saved: the text that says so, and the bound it breaks. */
interface Fault {
  text: "settings.noNumber" | "settings.atLeast" | "settings.atMost";
  limit: number;
}

/** What has to be saved: only what differs from the values in force, the empty text as no value. */
export function changesOf(form: SettingsForm, draft: Draft): Changes {
  const faults: Record<string, Fault> = {};
  const changes: Changes = { values: {}, secrets: {}, faults };
  for (const field of form.fields) {
    if (field.type === "secret") {
      const entry = draft.secrets[field.key] ?? KEEP;
      if (entry.kind === "remove") changes.secrets[field.key] = null;
      if (entry.kind === "set" && entry.text !== "") changes.secrets[field.key] = entry.text;
      continue;
    }
    const entry = draft.values[field.key] ?? null;
    if (entry === entryOf(form.values[field.key])) continue;
    const value = valueOf(field, entry);
    const fault = faultOf(field, value);
    if (fault === null) changes.values[field.key] = value;
    else faults[field.key] = fault;
  }
  return changes;
}

/** The value that an entry stands for; not a number where a text is none. */
function valueOf(field: SettingField, entry: Entry): SettingValue | null {
  if (entry === null || field.type !== "number") return entry;
  const text = String(entry).trim().replace(",", ".");
  return text === "" ? null : Number(text);
}

function faultOf({ type, min, max }: SettingField, value: SettingValue | null): Fault | null {
  if (type !== "number" || typeof value !== "number") return null;
  if (!Number.isFinite(value)) return { text: "settings.noNumber", limit: 0 };
  if (min !== undefined && value < min) return { text: "settings.atLeast", limit: min };
  return max !== undefined && value > max ? { text: "settings.atMost", limit: max } : null;
}

/** Whether an entry is other than what the manifest gives, so that there is a default to go back to. */
export function canReset(field: SettingField, entry: Entry): boolean {
  return entry !== null && entry !== entryOf(field.default);
}

/** The refusals of a save by the key of their field. */
export function issuesByKey(data: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(data)) return {};
  const issues: Record<string, string> = {};
  for (const each of data as unknown[]) {
    if (typeof each !== "object" || each === null) continue;
    const { key, message } = each as Record<string, unknown>;
    if (typeof key === "string" && typeof message === "string") issues[key] ??= message;
  }
  return issues;
}
