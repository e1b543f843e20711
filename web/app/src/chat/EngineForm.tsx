import { useEffect, useRef, useState, type FormEvent } from "react";
import { quotedOf, reasonOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import { PencilIcon, TrashIcon } from "../shell/icons";
import { Modal } from "../shell/Modal";
import { DialogFoot } from "../shell/DialogFoot";
import { Problem } from "../shell/Problem";
import { useAttempt, useDesk } from "./context";
import { RemovalQuestion } from "./RemovalQuestion";
import styles from "./forms.module.css";

export type Dialect = "chat" | "responses" | "messages";

export interface EndpointInfo {
  readonly id: string;
  readonly dialect: Dialect;
  readonly url: string;
  readonly hasKey: boolean;
}

const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];
const EXAMPLES: Readonly<Record<Dialect, string>> = {
  chat: "http://127.0.0.1:11434/v1",
  responses: "https://api.openai.com/v1",
  messages: "https://api.anthropic.com/v1",
};

/** Where the engine's models are: the endpoints there are, and a form for one of them or one more. Keys lie in the server's vault. */
export default function EngineForm({ onClose }: { onClose(): void }) {
  const session = useSession();
  const t = useT();
  const attempt = useAttempt();
  const { wire } = useDesk();
  const [endpoints, setEndpoints] = useState<readonly EndpointInfo[]>([]);
  const [id, setId] = useState("");
  const [dialect, setDialect] = useState<Dialect>("chat");
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [edited, setEdited] = useState<EndpointInfo | null>(null);
  const pressedRef = useRef<string | null>(null);
  const [removing, setRemoving] = useState<EndpointInfo | null>(null);
  const isTaken = edited === null && endpoints.some((one) => one.id === id.trim() && one.url !== url.trim());
  const keyNote = edited?.hasKey !== true ? "" : keepsKey(edited.url, url) ? t("backends.keyKept") : t("chat.keyLeft");

  const begin = (endpoint: EndpointInfo | null) => {
    setEdited(endpoint);
    setId(endpoint?.id ?? "");
    setDialect(endpoint?.dialect ?? "chat");
    setUrl(endpoint?.url ?? "");
    setKey("");
    setProblem(null);
  };

  useEffect(() => {
    wire
      .ask<{ endpoints: readonly EndpointInfo[] }>("session.endpoints")
      .then((answer) => setEndpoints(answer.endpoints))
      .catch((error: unknown) => setProblem(reasonOf(t, error)));
  }, [wire, t]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const given = { endpointId: id.trim() === "" ? idFrom(url, endpoints) : id.trim(), dialect, url: url.trim() };
      const answer = await wire.ask<{ endpoints: readonly EndpointInfo[]; models: number; problem: string | null }>(
        "session.saveEndpoint",
        key === "" ? given : { ...given, key },
      );
      setEndpoints(answer.endpoints);
      setKey("");
      if (answer.problem === null) {
        session.toast((t) => t("chat.endpointWorks", { count: answer.models }), "success");
        onClose();
        return;
      }
      // It is kept all the same: what is typed from now on mends this one and makes no second.
      begin(answer.endpoints.find((one) => one.id === given.endpointId) ?? null);
      setProblem(quotedOf(t, answer.problem));
    } catch (error) {
      setProblem(reasonOf(t, error));
    } finally {
      setBusy(false);
    }
  };
  const remove = (endpointId: string) => {
    setRemoving(null);
    void attempt(async () => {
      const answer = await wire.ask<{ endpoints: readonly EndpointInfo[] }>("session.removeEndpoint", { endpointId });
      setEndpoints(answer.endpoints);
    });
  };
  const leave = edited === null ? onClose : () => begin(null);
  if (removing !== null) {
    return (
      <RemovalQuestion
        title={t("chat.endpointRemoveTitle", { name: removing.id })}
        text={t("chat.endpointRemoveText")}
        yes={t("chat.endpointRemoveYes")}
        onYes={() => remove(removing.id)}
        onNo={() => setRemoving(null)}
      />
    );
  }
  return (
    <Modal key={edited?.id ?? ""} title={edited === null ? t("chat.engineTitle") : t("backends.editNamed", { name: edited.id })} wide {...(edited === null && { pressedRef })} onClose={leave}>
      <p className="muted">{t("chat.engineText")}</p>
      {endpoints.length === 0 || edited !== null ? null : (
        <ul className={styles["profiles"]} aria-label={t("chat.endpoints")}>
          {endpoints.map((endpoint) => (
            <li key={endpoint.id}>
              <span>
                <b>{endpoint.id}</b>
                <small className="muted">
                  {endpoint.url} · {t(`chat.dialect.${endpoint.dialect}`)} · {t(endpoint.hasKey ? "chat.withKey" : "chat.withoutKey")}
                </small>
              </span>
              <button
                type="button"
                className="icon-btn"
                aria-label={t("backends.editNamed", { name: endpoint.id })}
                title={t("chat.edit")}
                onClick={() => begin(endpoint)}
              >
                <PencilIcon size={14} />
              </button>
              <button
                type="button"
                className="icon-btn"
                aria-label={t("chat.endpointRemove", { name: endpoint.id })}
                title={t("chat.endpointRemoveYes")}
                onClick={() => setRemoving(endpoint)}
              >
                <TrashIcon size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form className={styles["fields"]} onSubmit={(event) => void submit(event)}>
        <label className="field">
          <span>{t("chat.baseUrl")}</span>
          <input required type="url" autoFocus spellCheck={false} value={url} placeholder={EXAMPLES[dialect]} onChange={(event) => setUrl(event.target.value)} />
        </label>
        <label className="field">
          <span>{t("chat.dialect")}</span>
          <select value={dialect} onChange={(event) => setDialect(event.target.value as Dialect)}>
            {DIALECTS.map((one) => (
              <option key={one} value={one}>
                {t(`chat.dialect.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t("chat.key")}</span>
          <input type="password" autoComplete="off" value={key} placeholder={keyNote} onChange={(event) => setKey(event.target.value)} />
          <small className="muted">{t("chat.keyText")}</small>
        </label>
        <label className="field">
          <span>{t("chat.endpointId")}</span>
          <input
            pattern="[a-z0-9][a-z0-9\-]*"
            spellCheck={false}
            disabled={edited !== null}
            aria-invalid={isTaken}
            value={id}
            placeholder={idFrom(url, endpoints)}
            onChange={(event) => setId(event.target.value)}
          />
          {isTaken ? <small className="muted">{t("chat.endpointTaken", { name: id.trim() })}</small> : null}
        </label>
        <Problem text={problem} />
        <DialogFoot onCancel={leave} disabled={busy || isTaken || url.trim() === ""}>
          {busy ? <i className="spinner" /> : null} {edited === null ? t("chat.connect") : t("app.save")}
        </DialogFoot>
      </form>
    </Modal>
  );
}

/** Whether a key that was given for one address goes to the other too: the server sends it nowhere else. */
function keepsKey(before: string, url: string): boolean {
  try {
    const [old, now] = [new URL(before), new URL(url)];
    return old.protocol === now.protocol && old.host === now.host;
  } catch {
    return false;
  }
}

/** A short name for an address that is not taken: the host's own, as `openai` of api.openai.com. */
export function idFrom(url: string, endpoints: readonly EndpointInfo[]): string {
  let host = "";
  try {
    host = new URL(url).hostname;
  } catch {
    // not an address yet
  }
  const parts = host.split(".").filter((part) => part !== "");
  const isLocal = host === "localhost" || /^[\d.]+$/.test(host) || host.startsWith("[");
  const name = isLocal || parts.length === 0 ? "local" : (parts.at(-2) ?? parts[0] ?? "local");
  const known = endpoints.find((endpoint) => endpoint.url === url.trim());
  if (known !== undefined) return known.id;
  let free = name.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
  for (let number = 2; endpoints.some((endpoint) => endpoint.id === free); number++) free = `${name}-${number}`;
  return free;
}
