import { statusOf, type Failure } from '../../run/failure.ts';

/** A refusal, or the failure of a run: its code is a status as text, and people read its display message. */
export function dialError(
  { code, message }: Failure,
  status: number = statusOf[code],
): { readonly error: object } {
  const type = status < 500 ? 'invalid_request_error' : 'runtime_error';
  return { error: { message, type, code: String(status), display_message: message } };
}
