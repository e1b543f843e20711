import type { AnyPart, FileContent } from "@cardloom/protocol/session";
import { useEffect, useState } from "react";
import { useT } from "../../shell/context";
import { useDesk, usePlace } from "../context";
import { metaText } from "../model/rows";
import styles from "../content.module.css";

const SHOWN = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

/** A picture that is in the message or lies beside the session. One that a stranger serves is only named. */
export function AssetImage({ part }: { part: AnyPart }) {
  const t = useT();
  const url = metaText(part, "url");
  const ref = metaText(part, "ref");
  const words = metaText(part, "alt") ?? metaText(part, "name") ?? t("chat.image");
  const [failed, setFailed] = useState(false);
  const kept = useKept(url !== null && SHOWN.test(url) ? null : ref, metaText(part, "mime"));
  const source = url !== null && SHOWN.test(url) ? url : kept;
  if (source !== null && !failed) {
    return <img className={styles["image"]} src={source} alt={words} onError={() => setFailed(true)} />;
  }
  if (url !== null && /^https?:/i.test(url)) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer nofollow">
        {words}
      </a>
    );
  }
  return <span className="chip tone-default">{words}</span>;
}

/** The bytes of a file beside the session as an address of this page, as soon as they are here. */
function useKept(ref: string | null, mime: string | null): string | null {
  const { wire } = useDesk();
  const { backend, conversation } = usePlace();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (ref === null) return;
    let left = false;
    let made: string | null = null;
    wire
      .call<FileContent>(backend, "getAsset", { sessionId: conversation.sessionId, ref })
      .then((content) => {
        if (left || content.encoding !== "base64") return;
        const bytes = Uint8Array.from(atob(content.content), (letter) => letter.charCodeAt(0));
        made = URL.createObjectURL(new Blob([bytes], { type: content.mime ?? mime ?? "image/png" }));
        setAddress(made);
      })
      .catch(() => undefined); // it is named instead
    return () => {
      left = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [wire, backend, conversation.sessionId, ref, mime]);
  return address;
}
