import { useId, type ReactNode } from "react";
import { useT } from "../shell/context";
import type { SettingField } from "../wire/records";
import { KEEP, canReset, type Draft, type Entry, type SecretEntry } from "./settingsDraft";

interface ControlProps {
  field: SettingField;
  /** Whether a secret is set. */
  isSet: boolean;
  draft: Draft;
  fault: string | null;
  onChange(draft: Draft): void;
}

/** One setting in the form: its label, its control, what is wrong with it, and the way back to its default. */
export function SettingControl({ field, isSet, draft, fault, onChange }: ControlProps) {
  const t = useT();
  const id = useId();
  const entry = draft.values[field.key] ?? null;
  const set = (value: Entry) => onChange({ ...draft, values: { ...draft.values, [field.key]: value } });
  const describedBy = [fault === null ? "" : `${id}-fault`, field.description === undefined ? "" : `${id}-about`];
  const common = {
    id,
    "aria-invalid": fault !== null,
    "aria-required": field.required,
    "aria-describedby": describedBy.filter((part) => part !== "").join(" ") || undefined,
  };
  return (
    <div className="setting" data-fault={fault === null ? undefined : ""}>
      <div className="setting-head">
        {field.type === "boolean" ? <ValueControl field={field} entry={entry} set={set} common={common} /> : null}
        <label htmlFor={id}>{field.label}</label>
        {field.required ? <span className="setting-note">{t("settings.required")}</span> : null}
        {field.scope === "package" ? <span className="setting-note">{t("settings.shared")}</span> : null}
        <span className="spring" />
        {field.type !== "secret" && field.default !== undefined && canReset(field, entry) ? (
          <button type="button" className="link" onClick={() => set(null)}>
            {t("settings.default")}
          </button>
        ) : null}
      </div>
      {field.type === "secret" ? (
        <SecretControl field={field} isSet={isSet} draft={draft} onChange={onChange} common={common} />
      ) : field.type === "boolean" ? null : (
        <ValueControl field={field} entry={entry} set={set} common={common} />
      )}
      {field.description === undefined ? null : (
        <small id={`${id}-about`} className="muted">
          {field.description}
        </small>
      )}
      {fault === null ? null : (
        <small id={`${id}-fault`} className="setting-fault" role="alert">
          {fault}
        </small>
      )}
    </div>
  );
}

interface Common {
  id: string;
  "aria-invalid": boolean;
  "aria-required": boolean;
  "aria-describedby": string | undefined;
}

interface ValueProps {
  field: SettingField;
  entry: Entry;
  set(entry: Entry): void;
  common: Common;
}

function ValueControl({ field, entry, set, common }: ValueProps): ReactNode {
  const t = useT();
  const shown = entry ?? field.default ?? null;
  const text = entry === null ? "" : String(entry);
  const placeholder = field.placeholder ?? (entry === null && field.default !== undefined ? String(field.default) : undefined);
  // An empty text is a value of its own only where there is a default that it could be mistaken for.
  const typed = (value: string) => set(value === "" && field.default === undefined ? null : value);
  switch (field.type) {
    case "boolean":
      return (
        <input {...common} type="checkbox" checked={shown === true} onChange={(event) => set(event.target.checked)} />
      );
    case "select":
      return (
        <select {...common} value={shown === null ? "" : String(shown)} onChange={(event) => set(event.target.value || null)}>
          {field.default === undefined ? <option value="">{t("settings.choose")}</option> : null}
          {(field.options ?? []).map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case "color":
      return (
        <span className="setting-color">
          <input
            {...common}
            type="color"
            value={shown === null ? "#808080" : String(shown)}
            onChange={(event) => set(event.target.value)}
          />
          <code className={shown === null ? "muted" : undefined}>{shown === null ? t("settings.noColor") : String(shown)}</code>
        </span>
      );
    case "text":
      return (
        <textarea
          {...common}
          rows={3}
          value={text}
          placeholder={placeholder}
          maxLength={field.maxLength ?? 20_000}
          onChange={(event) => typed(event.target.value)}
        />
      );
    case "number":
      return (
        <input
          {...common}
          inputMode="decimal"
          value={text}
          placeholder={placeholder}
          onChange={(event) => set(event.target.value === "" ? null : event.target.value)}
        />
      );
    default:
      return (
        <input
          {...common}
          value={text}
          placeholder={placeholder}
          maxLength={field.maxLength ?? 2_000}
          onChange={(event) => typed(event.target.value)}
        />
      );
  }
}

interface SecretProps {
  field: SettingField;
  isSet: boolean;
  draft: Draft;
  onChange(draft: Draft): void;
  common: Common;
}

/** A secret: it can be typed anew or removed, and is never shown. */
function SecretControl({ field, isSet, draft, onChange, common }: SecretProps) {
  const t = useT();
  const entry = draft.secrets[field.key] ?? KEEP;
  const set = (next: SecretEntry) => onChange({ ...draft, secrets: { ...draft.secrets, [field.key]: next } });
  const removing = entry.kind === "remove";
  return (
    <>
      <span className="setting-secret">
        <input
          {...common}
          type="password"
          autoComplete="off"
          spellCheck={false}
          disabled={removing}
          value={entry.kind === "set" ? entry.text : ""}
          placeholder={t(removing ? "settings.secretRemoved" : isSet ? "settings.secretSet" : "settings.secretUnset")}
          maxLength={field.maxLength ?? 8_192}
          onChange={(event) => set(event.target.value === "" ? KEEP : { kind: "set", text: event.target.value })}
        />
        {isSet ? (
          <button type="button" className="btn" onClick={() => set(removing ? KEEP : { kind: "remove" })}>
            {t(removing ? "settings.keep" : "settings.secretRemove")}
          </button>
        ) : null}
      </span>
      <small className="muted">{t("settings.secretKept")}</small>
    </>
  );
}
