import { reasonOf } from "../../i18n/reasonOf";
import type { CardApi } from "../contract";

/** Tells the person what failed, on which card, and why. */
export function sayFailure(api: CardApi, what: string, cardName: string, error: unknown): void {
  api.toast(api.t("cards.failed", { what, card: cardName, why: reasonOf(api.t, error) }), "danger");
}
