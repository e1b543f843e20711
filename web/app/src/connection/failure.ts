/** A call that was refused, by the server or because the server is away. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";

  constructor(
    /** An error code of the protocol, such as INVALID_PARAMS; UNAVAILABLE while the server is away. */
    readonly code: string,
    message: string,
    readonly data: unknown = null,
  ) {
    super(message);
  }
}

/** What can be told of a call that did not work, whatever was thrown. */
export interface Failure {
  readonly code: string | null;
  readonly message: string;
}

export function failureOf(error: unknown): Failure {
  const thrown = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  return {
    code: typeof thrown["code"] === "string" ? thrown["code"] : null,
    message: typeof thrown["message"] === "string" ? thrown["message"] : String(error),
  };
}

export function isFailure(error: unknown, code?: string): error is CallFailure {
  return error instanceof CallFailure && (code === undefined || error.code === code);
}
