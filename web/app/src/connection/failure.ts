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

export function isFailure(error: unknown, code?: string): error is CallFailure {
  return error instanceof CallFailure && (code === undefined || error.code === code);
}
