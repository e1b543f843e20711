import { useEffect, useState } from "react";
import { useSession, useT } from "./context";
import { useStore } from "../state/store";

/** Says that the server is away, that the view is kept, and when it is tried again. */
export function Banner() {
  const session = useSession();
  const t = useT();
  const state = useStore(session.connection, (known) => known);
  const [now, setNow] = useState(() => Date.now());
  const away = state.phase === "offline";
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [away]);
  if (state.phase !== "offline") return null;
  const seconds = Math.max(0, Math.ceil((state.retryAtMs - now) / 1000));
  return (
    <div className="banner" role="alert">
      <i className="spinner" />
      <span>
        <b>{t("banner.reconnecting")}</b> {t("banner.kept")}
      </span>
      <span className="muted">{seconds === 0 ? t("banner.trying") : t("banner.next", { count: seconds })}</span>
      <button type="button" className="btn" onClick={() => session.client.retryNow()}>
        {t("banner.now")}
      </button>
    </div>
  );
}
