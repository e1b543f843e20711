import { has, type CatalogExtension, type CatalogSkill, type CatalogTool, type ProfileDoc } from "@cardloom/protocol/session";
import { useEffect, useId, useState, type ReactNode } from "react";
import { useT } from "../shell/context";
import { useBackend, useDesk, usePlace } from "./context";
import styles from "./forms.module.css";

interface ProfileFieldsProps {
  doc: ProfileDoc;
  onChange(doc: ProfileDoc): void;
  /** Fields that stand before those of every profile. */
  children?: ReactNode;
}

type TextField = "name" | "description" | "systemPrompt";

/** The fields of a profile. What this form does not know of the document is kept. */
export function ProfileFields({ doc, onChange, children }: ProfileFieldsProps) {
  const t = useT();
  const { backend } = usePlace();
  const { models } = useBackend(backend);
  const lists = useCatalogs();
  const list = useId();
  const set = (name: TextField | "model" | "thinking", value: string) => onChange(withText(doc, name, value));
  const prompt = doc.prompt ?? {};
  const setPrompt = (name: "pre" | "post", value: string) => onChange({ ...doc, prompt: { ...prompt, [name]: value } });
  return (
    <div className={styles["fields"]}>
      {children}
      <label className="field">
        <span>{t("chat.profileName")}</span>
        <input value={doc.name} maxLength={120} onChange={(event) => set("name", event.target.value)} />
      </label>
      <label className="field">
        <span>{t("chat.profileDescription")}</span>
        <input value={doc.description ?? ""} onChange={(event) => set("description", event.target.value)} />
      </label>
      <div className={styles["twoFields"]}>
        <label className="field">
          <span>{t("chat.model")}</span>
          <input list={list} spellCheck={false} value={doc.model ?? ""} placeholder={t("chat.asSession")} onChange={(event) => set("model", event.target.value)} />
          <datalist id={list}>
            {models?.map((model) => (
              <option key={model.id} value={model.id}>
                {model.name}
              </option>
            ))}
          </datalist>
        </label>
        <label className="field">
          <span>{t("chat.thinkingLevel")}</span>
          <input value={doc.thinking ?? ""} placeholder={t("chat.asSession")} onChange={(event) => set("thinking", event.target.value)} />
        </label>
      </div>
      <Area label={t("chat.systemPrompt")} note={t("chat.systemPromptText")} value={doc.systemPrompt ?? ""} onChange={(value) => set("systemPrompt", value)} rows={5} />
      <Area label={t("chat.promptPre")} value={prompt.pre ?? ""} onChange={(value) => setPrompt("pre", value)} rows={2} />
      <Area label={t("chat.promptPost")} value={prompt.post ?? ""} onChange={(value) => setPrompt("post", value)} rows={2} />
      <label className="check">
        <input
          type="checkbox"
          checked={prompt.mode === "replace"}
          onChange={(event) => onChange({ ...doc, prompt: { ...prompt, mode: event.target.checked ? "replace" : "append" } })}
        />
        <span>{t("chat.promptReplace")}</span>
      </label>
      {lists === null ? null : <Chosen lists={lists} doc={doc} onChange={onChange} />}
    </div>
  );
}

function withText(doc: ProfileDoc, name: TextField | "model" | "thinking", value: string): ProfileDoc {
  return value === "" && name !== "name" ? without(doc, name) : { ...doc, [name]: value };
}

function without(doc: ProfileDoc, name: Exclude<keyof ProfileDoc, "id" | "name">): ProfileDoc {
  return Object.fromEntries(Object.entries(doc).filter(([field]) => field !== name)) as unknown as ProfileDoc;
}

interface AreaProps {
  label: string;
  note?: string;
  value: string;
  rows: number;
  onChange(value: string): void;
}

function Area({ label, note, value, rows, onChange }: AreaProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <textarea rows={rows} value={value} onChange={(event) => onChange(event.target.value)} />
      {note === undefined ? null : <small className="muted">{note}</small>}
    </label>
  );
}

interface Catalogs {
  readonly tools: readonly CatalogTool[];
  readonly skills: readonly CatalogSkill[];
  readonly extensions: readonly CatalogExtension[];
}

function useCatalogs(): Catalogs | null {
  const { wire } = useDesk();
  const { backend, capabilities } = usePlace();
  const [lists, setLists] = useState<Catalogs | null>(null);
  const offered = has(capabilities, "catalogs");
  useEffect(() => {
    if (!offered) return;
    let left = false;
    const read = <T,>(kind: string) => wire.call<T[]>(backend, "catalog", { kind }).catch(() => []);
    Promise.all([read<CatalogTool>("tools"), read<CatalogSkill>("skills"), read<CatalogExtension>("extensions")])
      .then(([tools, skills, extensions]) => {
        if (!left) setLists({ tools, skills, extensions });
      })
      .catch(() => undefined); // without lists the form has no fields for them
    return () => {
      left = true;
    };
  }, [wire, backend, offered]);
  return lists;
}

function Chosen({ lists, doc, onChange }: { lists: Catalogs } & ProfileFieldsProps) {
  const t = useT();
  const way = doc.tools === undefined ? "usual" : Array.isArray(doc.tools) ? "some" : (doc.tools as "all" | "none");
  const setWay = (wanted: string) => {
    if (wanted === "usual") onChange(without(doc, "tools"));
    else onChange({ ...doc, tools: wanted === "some" ? [] : (wanted as "all" | "none") });
  };
  const some = Array.isArray(doc.tools) ? (doc.tools as readonly string[]) : [];
  return (
    <>
      <label className="field">
        <span>{t("chat.tools")}</span>
        <select value={way} onChange={(event) => setWay(event.target.value)}>
          <option value="usual">{t("chat.toolsUsual")}</option>
          <option value="all">{t("chat.toolsAll")}</option>
          <option value="none">{t("chat.toolsNone")}</option>
          <option value="some">{t("chat.toolsSome")}</option>
        </select>
      </label>
      {way === "some" ? <Boxes entries={lists.tools} chosen={some} onChange={(tools) => onChange({ ...doc, tools })} /> : null}
      {lists.skills.length === 0 ? null : (
        <fieldset className={styles["boxes"]}>
          <legend>{t("chat.skills")}</legend>
          <Boxes entries={lists.skills} chosen={doc.skills ?? []} onChange={(skills) => onChange({ ...doc, skills })} />
        </fieldset>
      )}
      {lists.extensions.length === 0 ? null : (
        <fieldset className={styles["boxes"]}>
          <legend>{t("chat.extensions")}</legend>
          <Boxes entries={lists.extensions} chosen={doc.extensions ?? []} onChange={(extensions) => onChange({ ...doc, extensions })} />
        </fieldset>
      )}
    </>
  );
}

interface BoxesProps {
  entries: readonly { readonly id: string; readonly name: string; readonly description?: string }[];
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}

function Boxes({ entries, chosen, onChange }: BoxesProps) {
  return (
    <div className={styles["choices"]}>
      {entries.map((entry) => (
        <label key={entry.id} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(entry.id)}
            onChange={(event) => onChange(event.target.checked ? [...chosen, entry.id] : chosen.filter((one) => one !== entry.id))}
          />
          <span>
            {entry.name}
            {entry.description === undefined ? null : <small className="muted">{entry.description}</small>}
          </span>
        </label>
      ))}
    </div>
  );
}
