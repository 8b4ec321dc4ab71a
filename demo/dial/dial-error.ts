/** An error as a DIAL application answers with it: with a status before the first chunk, and inside the stream afterwards. */
export class DialError extends Error {
  readonly status: number;
  readonly type: string;
  /** The only text that is meant for people. */
  readonly displayMessage: string | undefined;

  constructor(
    status: number,
    message: string,
    more: { type?: string; displayMessage?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'DialError';
    this.status = status;
    this.type = more.type ?? (status < 500 ? 'invalid_request_error' : 'runtime_error');
    this.displayMessage = more.displayMessage;
  }
}

export interface ErrorBody {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly display_message?: string;
}

/** What is not meant to be seen is masked, as the SDK does it. */
export function errorBody(thrown: unknown): { readonly status: number; readonly error: ErrorBody } {
  if (!(thrown instanceof DialError))
    return {
      status: 500,
      error: { message: 'Error during processing the request', type: 'runtime_error', code: '500' },
    };
  const { status, message, type, displayMessage } = thrown;
  const shown = displayMessage === undefined ? {} : { display_message: displayMessage };
  return { status, error: { message, type, code: String(status), ...shown } };
}
