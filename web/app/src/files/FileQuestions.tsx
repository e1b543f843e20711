import { useState, type FormEvent } from "react";
import { reasonOf } from "../i18n/reasonOf";
import { useSession, useT } from "../shell/context";
import { Modal } from "../shell/Modal";
import { DialogFoot } from "../shell/DialogFoot";
import { Problem } from "../shell/Problem";
import { useStore } from "../state/store";
import { fileQuestion } from "./actions";
import { nameOf } from "./tree";

/** What is asked before the disk is changed: the name of a new folder, and whether something may go to the trash. */
export function FileQuestions() {
  const question = useStore(fileQuestion, (known) => known);
  if (question === null) return null;
  if (question.kind === "folder") return <NewFolder key={question.parent} parent={question.parent} />;
  return <TrashQuestion path={question.path} isFolder={question.isFolder} />;
}

function close(): void {
  fileQuestion.set(null);
}

/** A problem is said in the form, which keeps what was typed. */
function NewFolder({ parent }: { parent: string }) {
  const session = useSession();
  const t = useT();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await session.files.makeFolder(parent === "" ? name.trim() : `${parent}/${name.trim()}`);
      close();
    } catch (error) {
      setBusy(false);
      setProblem(reasonOf(t, error));
    }
  };
  return (
    <Modal title={t("files.newFolderTitle")} onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        <p className="muted">{t("files.newFolderIn", { folder: parent === "" ? t("files.root") : parent })}</p>
        <label className="field">
          <span>{t("files.folderName")}</span>
          <input autoFocus required spellCheck={false} maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <Problem text={problem} />
        <DialogFoot onCancel={close} disabled={busy || name.trim() === ""}>
          {t("files.make")}
        </DialogFoot>
      </form>
    </Modal>
  );
}

function TrashQuestion({ path, isFolder }: { path: string; isFolder: boolean }) {
  const session = useSession();
  const t = useT();
  const name = nameOf(path);
  const go = () => {
    close();
    session.files
      .trash(path)
      .then(() => session.toast((t) => t("files.trashed", { name }), "success"))
      .catch((error: unknown) => session.report("fail.trash", error));
  };
  return (
    <Modal title={t("files.trashTitle", { name })} onClose={close}>
      <p>{t(isFolder ? "files.trashFolder" : "files.trashFile")}</p>
      <footer className="modal-foot">
        <span className="spring" />
        <button type="button" className="btn" autoFocus onClick={close}>
          {t("app.cancel")}
        </button>
        <button type="button" className="btn is-danger is-solid" onClick={go}>
          {t("files.trashYes")}
        </button>
      </footer>
    </Modal>
  );
}
