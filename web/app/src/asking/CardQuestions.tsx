import { useState } from "react";
import { useT } from "../shell/context";
import type { Dialog } from "../wire/records";
import { AskedPermissions } from "./AskedPermissions";
import { askerOf, permissionsOf, textOf } from "./dialogData";
import { Question, WhoAsks } from "./Question";

/** A card asks for permissions: each can be given or kept back. */
export function PermissionQuestion({ dialog }: { dialog: Dialog }) {
  const t = useT();
  const permissions = permissionsOf(dialog.data["permissions"]);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const chosen = permissions.map(({ id }) => id).filter((id) => !kept.has(id));
  const tick = (id: string, given: boolean) => {
    const next = new Set(kept);
    if (given) next.delete(id);
    else next.add(id);
    setKept(next);
  };
  return (
    <Question
      dialog={dialog}
      title={t("asked.permissionTitle", { name: askerOf(dialog).name })}
      buttons={(answer, answered) => (
        <>
          <button type="button" className="btn" disabled={answered} onClick={() => answer(false)}>
            {t("ask.refuse")}
          </button>
          <button
            type="button"
            className="btn is-primary"
            disabled={answered || chosen.length === 0}
            onClick={() => answer(true, chosen)}
          >
            {t("asked.grant")}
          </button>
        </>
      )}
    >
      <WhoAsks dialog={dialog} />
      <AskedPermissions
        permissions={permissions}
        {...(permissions.length > 1 && {
          mark: ({ id }) => (
            <input type="checkbox" checked={!kept.has(id)} onChange={(event) => tick(id, event.target.checked)} />
          ),
        })}
      />
      <p className="muted">{t("asked.permissionScope")}</p>
    </Question>
  );
}

/** A card's own yes-or-no question: its words are set apart from ours. */
export function ConfirmQuestion({ dialog }: { dialog: Dialog }) {
  const t = useT();
  const { data } = dialog;
  const message = textOf(data["message"]);
  const danger = data["tone"] === "danger";
  return (
    <Question
      dialog={dialog}
      title={t("asked.by", { name: askerOf(dialog).name })}
      buttons={(answer, answered) => (
        <>
          <button type="button" className="btn" disabled={answered} onClick={() => answer(false)}>
            {textOf(data["cancelLabel"]) ?? t("asked.no")}
          </button>
          <button
            type="button"
            className={danger ? "btn is-danger is-solid" : "btn is-primary"}
            disabled={answered}
            onClick={() => answer(true)}
          >
            {textOf(data["confirmLabel"]) ?? t("asked.yes")}
          </button>
        </>
      )}
    >
      <blockquote className="asked-words">
        <b>{dialog.title}</b>
        {message === null ? null : <p>{message}</p>}
      </blockquote>
      <WhoAsks dialog={dialog} />
    </Question>
  );
}

/** A card wants an address opened; the browser opens it at the click, so that it counts as the person's own. */
export function LinkQuestion({ dialog }: { dialog: Dialog }) {
  const t = useT();
  const url = textOf(dialog.data["url"]) ?? "";
  const host = textOf(dialog.data["host"]) ?? "";
  const safe = url.startsWith("https://");
  return (
    <Question
      dialog={dialog}
      title={t("asked.linkTitle", { name: askerOf(dialog).name })}
      buttons={(answer, answered) => (
        <>
          <button type="button" className="btn" disabled={answered} onClick={() => answer(false)}>
            {t("ask.refuse")}
          </button>
          {safe ? (
            <a
              className="btn is-primary"
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => {
                if (!answered) answer(true);
              }}
              onAuxClick={(event) => {
                if (event.button === 1 && !answered) answer(true);
              }}
            >
              {t("asked.open")}
            </a>
          ) : null}
        </>
      )}
    >
      <p>{t("asked.linkHost", { host })}</p>
      <code className="asked-url">{url}</code>
      <WhoAsks dialog={dialog} />
    </Question>
  );
}
