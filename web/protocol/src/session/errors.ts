import type { JsonValue } from "../json";

/** Why an operation of the session protocol failed; a backend may have codes beyond these. */
export type SessionErrorCode = "not_found" | "conflict" | "bad_request" | "invalid_id" | "not_supported" | "internal";

/** A failure as the client sees it; a code that a backend invented is kept as it is. */
export class SessionError extends Error {
  override readonly name: string = "SessionError";

  constructor(
    readonly code: string,
    message: string,
    readonly details?: JsonValue,
  ) {
    super(message);
  }
}

/** A path or a content that no workspace can take. */
export class FileBadRequestError extends SessionError {
  override readonly name = "FileBadRequestError";

  constructor(message: string, details?: JsonValue) {
    super("bad_request", message, details);
  }
}

/** A file of the workspace does not exist. */
export class FileNotFoundError extends SessionError {
  override readonly name = "FileNotFoundError";

  constructor(message: string, details?: JsonValue) {
    super("not_found", message, details);
  }
}

/** A file of the workspace has another revision, or exists already. */
export class FileConflictError extends SessionError {
  override readonly name = "FileConflictError";

  constructor(message: string, details?: JsonValue) {
    super("conflict", message, details);
  }
}
