import { reasonOf } from "../../i18n/reasonOf";
import type { CardApi, TextKey } from "../contract";

/** Tells the person what failed, on which card, and why. */
export function sayFailure(api: CardApi, what: TextKey, cardName: string, error: unknown): void {
  api.toast((t) => t("cards.failed", { what: t(what), card: cardName, why: reasonOf(t, error) }), "danger");
}
