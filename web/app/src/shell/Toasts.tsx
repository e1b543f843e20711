import { useSession, useT } from "./context";
import { CloseIcon } from "./icons";
import { useStore } from "../state/store";

export function ToastStack() {
  const session = useSession();
  const t = useT();
  const toasts = useStore(session.toasts.shown, (shown) => shown);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={`toast tone-${toast.tone}`}>
          <span>
            {toast.from === null ? null : <b>{toast.from}: </b>}
            {toast.message}
          </span>
          <button type="button" className="icon-btn" aria-label={t("toast.dismiss")} onClick={() => session.toasts.dismiss(toast.id)}>
            <CloseIcon size={12} />
          </button>
        </div>
      ))}
    </div>
  );
}
