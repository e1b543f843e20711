import { useSession, useT } from "../shell/context";
import { WarningIcon } from "../shell/icons";
import type { Card } from "../wire/records";

/** The strip on a card that lacks required settings; nothing is blocked by it. */
export function MissingSettings({ card }: { card: Card }) {
  const session = useSession();
  const t = useT();
  const missing = card.kind === "custom" ? (card.content.missingSettings?.length ?? 0) : 0;
  if (missing === 0) return null;
  return (
    <div className="card-strip nodrag" role="status">
      <WarningIcon size={14} />
      <span>{t("settings.missing", { count: missing })}</span>
      <span className="spring" />
      <button
        type="button"
        className="link"
        onClick={() => session.ui.update((ui) => ({ ...ui, settingsOf: card.id }))}
      >
        {t("settings.fill")}
      </button>
    </div>
  );
}
