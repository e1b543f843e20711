import { reasonOf } from "../../i18n/reasonOf";
import type { CardApi } from "../contract";

interface Failure {
  code: string | null;
  /** The server's own words; they name a limit as the documentation does. */
  message: string;
}

/** Reads what a rejected call carries, whatever was thrown. */
export function failureOf(error: unknown): Failure {
  const thrown = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  return {
    code: typeof thrown["code"] === "string" ? thrown["code"] : null,
    message: typeof thrown["message"] === "string" ? thrown["message"] : String(error),
  };
}

/** Tells the person what failed, on which card, and why. */
export function sayFailure(api: CardApi, what: string, cardName: string, error: unknown): void {
  api.toast(api.t("cards.failed", { what, card: cardName, why: reasonOf(api.t, error) }), "danger");
}
