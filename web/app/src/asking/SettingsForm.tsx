import { useEffect, useState, type FormEvent } from "react";
import { isFailure } from "../connection/failure";
import { useSession, useT } from "../shell/context";
import { Modal } from "../shell/Modal";
import { DialogFoot } from "../shell/DialogFoot";
import { useStore } from "../state/store";
import type { SettingsForm as Form } from "../wire/records";
import { changesOf, draftOf, issuesByKey, type Draft } from "./settingsDraft";
import { SettingControl } from "./SettingControl";

/** The settings form of the card that wants one, if any. */
export function SettingsOverlay() {
  const session = useSession();
  const cardId = useStore(session.ui, (ui) => ui.settingsOf);
  const exists = useStore(session.canvas, (state) => cardId !== null && state?.cards.has(cardId) === true);
  if (cardId === null || !exists) return null;
  return <SettingsDialog key={cardId} cardId={cardId} />;
}

function SettingsDialog({ cardId }: { cardId: string }) {
  const session = useSession();
  const t = useT();
  const name = useStore(session.canvas, (state) => state?.cards.get(cardId)?.name ?? "");
  const [form, setForm] = useState<Form | null>(null);
  const close = () => session.ui.update((ui) => ({ ...ui, settingsOf: null }));

  useEffect(() => {
    let wanted = true;
    session.client
      .call("card.settings", { cardId })
      .then((found) => {
        if (wanted) setForm(found);
      })
      .catch((error: unknown) => {
        session.report("fail.settingsRead", error);
        session.ui.update((ui) => ({ ...ui, settingsOf: null }));
      });
    return () => {
      wanted = false;
    };
  }, [session, cardId]);

  return (
    <Modal title={t("settings.title", { name })} onClose={close}>
      {form === null ? (
        <p className="card-loading" role="status" aria-label={t("app.loading")} />
      ) : form.fields.length === 0 ? (
        <p className="muted">{t("settings.none")}</p>
      ) : (
        <Fields form={form} onDone={close} />
      )}
    </Modal>
  );
}

function Fields({ form, onDone }: { form: Form; onDone(): void }) {
  const session = useSession();
  const t = useT();
  const [draft, setDraft] = useState<Draft>(() => draftOf(form));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [saving, setSaving] = useState(false);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const { values, secrets, faults: unread } = changesOf(form, draft);
    if (Object.keys(unread).length > 0) {
      setFaults(Object.fromEntries(Object.entries(unread).map(([key, { text, limit }]) => [key, t(text, { limit })])));
      return;
    }
    if (Object.keys(values).length === 0 && Object.keys(secrets).length === 0) {
      onDone();
      return;
    }
    setSaving(true);
    try {
      await session.client.call("card.setSettings", { cardId: form.cardId, values, secrets });
      onDone();
    } catch (error) {
      setSaving(false);
      const named = isFailure(error, "INVALID_PARAMS") ? issuesByKey(error.data) : {};
      setFaults(named);
      if (Object.keys(named).length === 0) session.report("fail.settings", error);
    }
  };

  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      <div className="settings-fields">
        {form.fields.map((field) => (
          <SettingControl
            key={field.key}
            field={field}
            isSet={form.secrets[field.key] === true}
            draft={draft}
            fault={faults[field.key] ?? null}
            onChange={setDraft}
          />
        ))}
      </div>
      <DialogFoot onCancel={onDone} disabled={saving}>
        {t("app.save")}
      </DialogFoot>
    </form>
  );
}
