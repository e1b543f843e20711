import { useSession, useT } from "../shell/context";
import { FileIcon } from "../shell/icons";
import { openFile } from "./actions";
import { refText, type FileRef } from "./fileRef";
import styles from "./files.module.css";

/** A reference to a file wherever one is shown: press it and the file opens at its line. */
export function FileRefLink({ fileRef }: { fileRef: FileRef }) {
  const session = useSession();
  const t = useT();
  const text = refText(fileRef);
  return (
    <button
      type="button"
      className={styles["ref"]}
      aria-label={t("files.openAt", { file: text })}
      title={t("files.openAt", { file: text })}
      onClick={() => openFile(session, fileRef)}
    >
      <FileIcon size={13} /> <span>{text}</span>
    </button>
  );
}
