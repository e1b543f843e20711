import { useSession, useT } from "./context";
import { useStore } from "../state/store";

/** Whether the server is there. Quiet while all is well. */
export function ConnectionPill() {
  const session = useSession();
  const t = useT();
  const phase = useStore(session.connection, (state) => state.phase);
  const tone = phase === "online" ? "success" : phase === "connecting" ? "accent" : "warning";
  const key = phase === "online" ? "connection.online" : phase === "connecting" ? "connection.connecting" : "connection.offline";
  return (
    <span className="pill connection" role="status" title={t(key)}>
      <i className={`dot tone-${tone} ${phase === "connecting" ? "is-busy" : ""}`} />
      <span className={phase === "online" ? "sr-only" : ""}>{t(key)}</span>
    </span>
  );
}
