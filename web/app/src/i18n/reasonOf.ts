import { ERROR_CODES, type ErrorCode } from "@cardloom/protocol";
import type { Translate } from "./catalogue";

/** Why something failed in the person's language, with the server's own words behind it; those alone for a code of later. */
export function reasonOf(t: Translate, error: unknown): string {
  const { code, message } = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const detail = typeof message === "string" ? message : String(error);
  return isErrorCode(code) ? t(`because.${code}`, { detail }) : detail;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return ERROR_CODES.includes(code as ErrorCode);
}
