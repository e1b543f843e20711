import type { JsonValue } from "../json";
import { SessionError } from "./errors";
import { member } from "./parts";

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonValue;
}

/** The envelope around every answer. */
export type Envelope<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: ErrorBody };

/**
 * The data of an envelope; throws the error that it carries.
 *
 * Reads kindly: `value` stands for `data`, and an `error` alone is a refusal. Anything else is an internal error, for
 * then the other side does not speak this protocol.
 */
export function opened<T>(envelope: unknown): T {
  if (member(envelope, "ok") === true) return (member(envelope, "data") ?? member(envelope, "value")) as T;
  const error = member(envelope, "error");
  if (error === undefined) throw new SessionError("internal", "The answer is not an envelope.");
  throw errorFromWire(error);
}

/** The error of an envelope; a code unknown here is kept as it is. */
export function errorFromWire(error: unknown): SessionError {
  const code = member(error, "code");
  const message = typeof error === "string" ? error : member(error, "message");
  return new SessionError(
    typeof code === "string" && code !== "" ? code : "internal",
    typeof message === "string" && message !== "" ? message : "The backend gave no reason.",
    member(error, "details") as JsonValue | undefined,
  );
}
