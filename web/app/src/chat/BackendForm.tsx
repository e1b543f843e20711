import type { SetUp } from "@cardloom/protocol";
import { useId, useState, type FormEvent } from "react";
import { reasonOf } from "../i18n/reasonOf";
import { useT } from "../shell/context";
import { DialogFoot } from "../shell/DialogFoot";
import { Modal } from "../shell/Modal";
import { Problem } from "../shell/Problem";
import { useBackend, useDesk } from "./context";
import { wordsOf } from "./model/commandLine";
import styles from "./forms.module.css";

export type BackendKind = "pi" | "opencode" | "acp" | "http" | "mapped";

/** What the form begins with: nothing but a kind, a program that was found, or a backend that is there. */
export interface Draft {
  readonly kind: BackendKind;
  readonly isNew: boolean;
  readonly id?: string;
  readonly title?: string;
  readonly command?: string;
  readonly folder?: string;
  readonly url?: string;
  readonly mapping?: string;
  readonly hasKey?: boolean;
}

interface BackendFormProps {
  draft: Draft;
  taken: readonly string[];
  onSaved(backendId: string, answer: SetUp): void;
  onClose(): void;
}

const EXAMPLES = { pi: "pi", opencode: "opencode", acp: "gemini --acp" } as const;

/** The fields of one backend, as far as its kind has them. */
export function BackendForm({ draft, taken, onSaved, onClose }: BackendFormProps) {
  const t = useT();
  const { wire } = useDesk();
  const { workspace, workspaces } = useBackend("engine");
  const folders = useId();
  const { kind, isNew } = draft;
  const isProgram = kind === "pi" || kind === "opencode" || kind === "acp";
  const [title, setTitle] = useState(draft.title ?? "");
  const [id, setId] = useState(draft.id ?? "");
  const [command, setCommand] = useState(draft.command ?? "");
  const [typedFolder, setFolder] = useState<string | null>(draft.folder ?? null);
  const [url, setUrl] = useState(draft.url ?? "");
  const [mapping, setMapping] = useState(draft.mapping ?? "");
  const [mappingFile, setMappingFile] = useState<File | null>(null);
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const folder = typedFolder ?? workspace?.path ?? "";
  const proposed = shortName(title !== "" ? title : isProgram ? (wordsOf(command)[0] ?? kind) : hostOf(url), isNew ? taken : []);
  const backendId = id.trim() === "" ? proposed : id.trim();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const words = wordsOf(command);
      const given = {
        backendId,
        kind,
        ...(title.trim() === "" ? {} : { title: title.trim() }),
        ...(isProgram ? { ...(words.length === 0 ? {} : { command: words }), folder: folder.trim() } : { url: url.trim() }),
        ...(kind === "mapped" && mappingFile === null && mapping.trim() !== "" ? { mapping: mapping.trim() } : {}),
        ...(mappingFile === null ? {} : { mappingText: await mappingFile.text() }),
        ...(key === "" ? {} : { key }),
      };
      onSaved(backendId, await wire.ask<SetUp>("session.saveBackend", given));
    } catch (error) {
      setProblem(reasonOf(t, error));
      setBusy(false);
    }
  };
  return (
    <Modal title={isNew ? t("backends.addNamed", { name: t(`backends.kind.${kind}`) }) : t("backends.editNamed", { name: draft.title || (draft.id ?? "") })} wide onClose={onClose}>
      <p className="muted">{t(`backends.about.${kind}`)}</p>
      <form onSubmit={(event) => void submit(event)}>
        <div className={styles["fields"]}>
          {isProgram ? (
            <>
              <label className="field">
                <span>{t("backends.command")}</span>
                <input required={kind === "acp"} autoFocus spellCheck={false} value={command} placeholder={EXAMPLES[kind]} onChange={(event) => setCommand(event.target.value)} />
                <small className="muted">{t(kind === "acp" ? "backends.commandText" : "backends.commandUsual")}</small>
              </label>
              <label className="field">
                <span>{t("backends.folder")}</span>
                <input required list={folders} spellCheck={false} value={folder} placeholder="/home/me/project" onChange={(event) => setFolder(event.target.value)} />
                <datalist id={folders}>
                  {workspaces?.map((one) => (one.path === undefined ? null : <option key={one.id} value={one.path} />))}
                </datalist>
                <small className="muted">{t("backends.folderText")}</small>
              </label>
            </>
          ) : (
            <label className="field">
              <span>{t("backends.url")}</span>
              <input
                required
                type="url"
                autoFocus
                spellCheck={false}
                value={url}
                placeholder={kind === "http" ? "http://127.0.0.1:8000/protocol/v1" : "http://127.0.0.1:7000"}
                onChange={(event) => setUrl(event.target.value)}
              />
            </label>
          )}
          {kind === "mapped" ? (
            <div className={styles["twoFields"]}>
              <label className="field">
                <span>{t("backends.mappingFile")}</span>
                {/* The browser says what is chosen in its own language; ours stands over it. */}
                <span className={styles["file"]}>
                  <input type="file" accept=".json,application/json" onChange={(event) => setMappingFile(event.target.files?.[0] ?? null)} />
                  <b aria-hidden="true">{t("backends.chooseFile")}</b>
                  <i aria-hidden="true">{mappingFile?.name ?? t("backends.noFile")}</i>
                </span>
                <small className="muted">{t("backends.mappingFileText")}</small>
              </label>
              <label className="field">
                <span>{t("backends.mapping")}</span>
                <input spellCheck={false} required={mappingFile === null} disabled={mappingFile !== null} value={mapping} placeholder="dreams.json" onChange={(event) => setMapping(event.target.value)} />
                <small className="muted">{t("backends.mappingText")}</small>
              </label>
            </div>
          ) : null}
          {isProgram ? null : (
            <label className="field">
              <span>{t("chat.key")}</span>
              <input type="password" autoComplete="off" value={key} placeholder={draft.hasKey === true ? t("backends.keyKept") : ""} onChange={(event) => setKey(event.target.value)} />
              <small className="muted">{t("chat.keyText")}</small>
            </label>
          )}
          <div className={styles["twoFields"]}>
            <label className="field">
              <span>{t("backends.name")}</span>
              <input maxLength={80} value={title} placeholder={backendId} onChange={(event) => setTitle(event.target.value)} />
            </label>
            <label className="field">
              <span>{t("chat.endpointId")}</span>
              <input pattern="[a-z0-9][a-z0-9\-]*" maxLength={64} spellCheck={false} disabled={!isNew} value={id} placeholder={proposed} onChange={(event) => setId(event.target.value)} />
              <small className="muted">{t("chat.profileIdText")}</small>
            </label>
          </div>
        </div>
        <Problem text={problem} />
        <DialogFoot onCancel={onClose} disabled={busy}>
          {busy ? <i className="spinner" /> : null} {isNew ? t("backends.addOne") : t("app.save")}
        </DialogFoot>
      </form>
    </Modal>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return "";
  }
}

/** An id out of a name, which no other backend has: `Gemini CLI` is `gemini-cli`, `/opt/my agent` is `my-agent`. */
export function shortName(name: string, taken: readonly string[]): string {
  const last = name.split(/[/\\]/).findLast((part) => part !== "") ?? "";
  const plain = last.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 50);
  const base = plain === "" ? "backend" : plain;
  const all = new Set([...taken, "engine", "canvas"]);
  let free = base;
  for (let number = 2; all.has(free); number++) free = `${base}-${number}`;
  return free;
}
