import { useEffect, useState } from "react";
import { removalQuestion, removeNow } from "../canvas/removing";
import { useStore } from "../state/store";
import type { Dialog } from "../wire/records";
import { useSession, useT } from "./context";
import { WarningIcon } from "./icons";
import { Modal } from "./Modal";

/** The questions of the server to the owner, one at a time in the order they came, and the page's own before removing. */
export function Questions() {
  const session = useSession();
  const dialog = useStore(session.canvas, (state) => state?.dialogs[0] ?? null);
  const removal = useStore(removalQuestion, (question) => question);
  return (
    <>
      {dialog === null ? null : <ServerQuestion key={dialog.id} dialog={dialog} />}
      {removal === null ? null : <RemovalDialog />}
    </>
  );
}

interface AskedPermission {
  id: string;
  reason?: string;
  risk?: string;
  hosts?: string;
}

function ServerQuestion({ dialog }: { dialog: Dialog }) {
  const session = useSession();
  const t = useT();
  const [answered, setAnswered] = useState(false);
  const secondsLeft = useSecondsTo(dialog.deadlineAtMs);
  const answer = (accepted: boolean) => {
    setAnswered(true);
    session.client.call("dialog.answer", { dialogId: dialog.id, accepted }).catch((error: unknown) => {
      setAnswered(false);
      session.report("fail.answer", error);
    });
  };
  const { data } = dialog;
  const name = textOf(data["name"]) ?? textOf(data["displayName"]) ?? textOf(data["package"]) ?? "";
  const permissions = permissionsOf(data["permissions"]);
  const title = dialog.kind === "startProgram" ? t("ask.startTitle", { name: name || dialog.title }) : dialog.title;
  return (
    <Modal title={title} urgent onClose={() => answer(false)}>
      {dialog.kind === "startProgram" ? (
        <p className="ask-rights">
          <WarningIcon size={18} />
          <span>{t("ask.rights")}</span>
        </p>
      ) : null}
      {textOf(data["message"]) === null ? null : <p>{textOf(data["message"])}</p>}
      <dl className="rows">
        {["packageId", "version", "folder", "path"].map((field) => {
          const value = textOf(data[field]);
          return value === null ? null : (
            <div className="row" key={field}>
              <dt>{t(`ask.${field as "packageId" | "version" | "folder" | "path"}`)}</dt>
              <dd>
                <code title={value}>{value}</code>
              </dd>
            </div>
          );
        })}
      </dl>
      {permissions.length === 0 ? null : (
        <section>
          <h3>{t("ask.permissions")}</h3>
          <ul className="permissions">
            {permissions.map((permission) => (
              <li key={permission.id}>
                <code>{permission.id}</code>
                {permission.risk === undefined ? null : (
                  <span className={`chip tone-${RISK_TONES[permission.risk] ?? "default"}`}>
                    {t(`risk.${riskOf(permission.risk)}`)}
                  </span>
                )}
                {permission.hosts === undefined ? null : <code className="muted">{permission.hosts}</code>}
                {permission.reason === undefined ? null : <small className="muted">{permission.reason}</small>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <footer className="modal-foot">
        <span className="muted" role="timer">
          {secondsLeft > 0 ? t("ask.deadline", { count: secondsLeft }) : t("ask.over")}
        </span>
        <span className="spring" />
        <button type="button" className="btn" disabled={answered} onClick={() => answer(false)}>
          {t("ask.refuse")}
        </button>
        <button type="button" className="btn is-primary" disabled={answered} onClick={() => answer(true)}>
          {t("ask.allow")}
        </button>
      </footer>
    </Modal>
  );
}

const RISK_TONES: Readonly<Record<string, string>> = { low: "success", medium: "warning", high: "danger" };

function riskOf(risk: string): "low" | "medium" | "high" {
  return risk === "low" || risk === "medium" ? risk : "high";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Reads permissions given as ids or as records. */
function permissionsOf(value: unknown): AskedPermission[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): AskedPermission[] => {
    if (typeof each === "string") return [{ id: each }];
    if (typeof each !== "object" || each === null) return [];
    const { id, reason, risk, hosts } = each as Record<string, unknown>;
    if (typeof id !== "string") return [];
    return [
      {
        id,
        ...(typeof reason === "string" && { reason }),
        ...(typeof risk === "string" && { risk }),
        ...(Array.isArray(hosts) && { hosts: hosts.join(", ") }),
      },
    ];
  });
}

function useSecondsTo(deadlineAtMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((deadlineAtMs - now) / 1000));
}

function RemovalDialog() {
  const session = useSession();
  const t = useT();
  const question = useStore(removalQuestion, (known) => known);
  if (question === null) return null;
  const { running, selection } = question;
  return (
    <Modal title={t("remove.title", { count: selection.cardIds.length })} onClose={() => removalQuestion.set(null)}>
      <p>{t("remove.running", { names: running.join(", "), count: running.length })}</p>
      <p className="muted">{t("remove.undo")}</p>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={() => removalQuestion.set(null)}>
          {t("app.cancel")}
        </button>
        <button type="button" className="btn is-danger is-solid" onClick={() => void removeNow(session, selection)}>
          {t("remove.yes")}
        </button>
      </footer>
    </Modal>
  );
}
