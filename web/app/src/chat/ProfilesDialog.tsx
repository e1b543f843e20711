import { INLINE_PROFILE_ID, isProfileId, type ProfileDoc } from "@cardloom/protocol/session";
import { useRef, useState, type FormEvent } from "react";
import { useT } from "../shell/context";
import { CopyIcon, PencilIcon, PlusIcon, TrashIcon } from "../shell/icons";
import { Modal } from "../shell/Modal";
import { useStore } from "../state/store";
import { useAttempt, useBackend, useDesk, usePlace } from "./context";
import { ProfileFields } from "./ProfileFields";
import { RemovalQuestion } from "./RemovalQuestion";
import styles from "./forms.module.css";

interface ProfilesDialogProps {
  /** The bot of this session alone, instead of the catalogue. */
  inline: boolean;
  onClose(): void;
}

interface Draft {
  readonly doc: ProfileDoc;
  readonly isNew: boolean;
}

/** The profiles of a backend as a list and a form, or the bot that is written into one session. */
export default function ProfilesDialog({ inline, onClose }: ProfilesDialogProps) {
  const { conversation } = usePlace();
  const own = useStore(conversation.state, (state) => state.info?.profileDoc);
  const start = own ?? { id: INLINE_PROFILE_ID, name: "" };
  return inline ? <InlineBot start={start} onClose={onClose} /> : <Catalogue onClose={onClose} />;
}

function InlineBot({ start, onClose }: { start: ProfileDoc; onClose(): void }) {
  const t = useT();
  const attempt = useAttempt();
  const { conversation } = usePlace();
  const [doc, setDoc] = useState(start);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const embedded = { ...doc, id: INLINE_PROFILE_ID };
    if (await attempt(() => conversation.setProfile(embedded))) onClose();
  };
  return (
    <Modal title={t("chat.inlineTitle")} wide onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p className="muted">{t("chat.inlineText")}</p>
        <ProfileFields doc={doc} onChange={setDoc} />
        <footer className="modal-foot">
          <span className="spring" />
          <button type="button" className="btn" onClick={onClose}>
            {t("app.cancel")}
          </button>
          <button type="submit" className="btn is-primary">
            {t("app.save")}
          </button>
        </footer>
      </form>
    </Modal>
  );
}

function Catalogue({ onClose }: { onClose(): void }) {
  const t = useT();
  const attempt = useAttempt();
  const desk = useDesk();
  const { backend } = usePlace();
  const { profiles } = useBackend(backend);
  const pressedRef = useRef<string | null>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [removing, setRemoving] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const call = <T,>(name: string, params: object) => desk.wire.call<T>(backend, name, params);
  const open = (id: string) => attempt(async () => setDraft({ doc: await call<ProfileDoc>("getProfile", { id }), isNew: false }));
  const change = (work: () => Promise<unknown>) =>
    attempt(async () => {
      await work();
      await desk.readProfiles(backend);
    });
  // Nothing keeps two profiles from bearing one name: then the id tells them apart.
  const nameOf = ({ id, name }: { readonly id: string; readonly name: string }) =>
    name === "" ? id : profiles?.some((one) => one.id !== id && one.name === name) === true ? `${name} (${id})` : name;
  const isFree = draft !== null && (!draft.isNew || (isProfileId(draft.doc.id) && profiles?.every((one) => one.id !== draft.doc.id) === true));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (draft === null || !isFree) return;
    const { id } = draft.doc;
    if (await change(() => call("saveProfile", { id, profile: draft.doc }))) setDraft(null);
  };
  if (removing !== null) {
    return (
      <RemovalQuestion
        title={t("chat.deleteTitle", { name: removing.name })}
        text={t("chat.profileDeleteText")}
        yes={t("chat.deleteYes")}
        onNo={() => setRemoving(null)}
        onYes={() => {
          setRemoving(null);
          void change(() => call("deleteProfile", { id: removing.id }));
        }}
      />
    );
  }
  if (draft !== null) {
    return (
      <Modal key="draft" title={t(draft.isNew ? "chat.profileNew" : "chat.profileEdit")} wide onClose={() => setDraft(null)}>
        <form onSubmit={(event) => void save(event)}>
          <ProfileFields doc={draft.doc} onChange={(doc) => setDraft({ ...draft, doc })}>
            {draft.isNew ? (
              <label className="field">
                <span>{t("chat.profileId")}</span>
                <input
                  autoFocus
                  required
                  spellCheck={false}
                  value={draft.doc.id}
                  aria-invalid={draft.doc.id !== "" && !isFree}
                  onChange={(event) => setDraft({ ...draft, doc: { ...draft.doc, id: event.target.value } })}
                />
                <small className="muted">{t("chat.profileIdText")}</small>
              </label>
            ) : null}
          </ProfileFields>
          <footer className="modal-foot">
            <span className="spring" />
            <button type="button" className="btn" onClick={() => setDraft(null)}>
              {t("app.cancel")}
            </button>
            <button type="submit" className="btn is-primary" disabled={!isFree}>
              {t("app.save")}
            </button>
          </footer>
        </form>
      </Modal>
    );
  }
  return (
    <Modal key="list" title={t("chat.profiles")} wide pressedRef={pressedRef} onClose={onClose}>
      <ul className={styles["profiles"]}>
        {(profiles ?? []).map((profile) => {
          const name = nameOf(profile);
          return (
            <li key={profile.id}>
              <span>
                <b>{profile.name === "" ? profile.id : profile.name}</b>
                <small className="muted">{profile.description ?? profile.id}</small>
              </span>
              {profile.editable === false ? null : (
                <>
                  <button type="button" className="icon-btn" aria-label={t("chat.profileEditNamed", { name })} title={t("chat.edit")} onClick={() => void open(profile.id)}>
                    <PencilIcon size={14} />
                  </button>
                  <button
                    type="button"
                    className="icon-btn"
                    aria-label={t("chat.profileCopyNamed", { name })}
                    title={t("chat.profileCopy")}
                    onClick={() => void change(() => call("duplicateProfile", { id: profile.id }))}
                  >
                    <CopyIcon size={14} />
                  </button>
                  <button
                    type="button"
                    className="icon-btn"
                    aria-label={t("chat.profileDeleteNamed", { name })}
                    title={t("chat.delete")}
                    onClick={() => setRemoving({ id: profile.id, name })}
                  >
                    <TrashIcon size={14} />
                  </button>
                </>
              )}
            </li>
          );
        })}
      </ul>
      <footer className="modal-foot">
        <button type="button" className="btn" onClick={() => setDraft({ doc: { id: "", name: "" }, isNew: true })}>
          <PlusIcon size={13} /> {t("chat.profileNew")}
        </button>
        <span className="spring" />
        <button type="button" className="btn" onClick={onClose}>
          {t("app.close")}
        </button>
      </footer>
    </Modal>
  );
}
