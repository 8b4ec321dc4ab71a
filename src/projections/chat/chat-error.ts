import type { Failure, FailureCode } from '../../run/failure.ts';

const types: Readonly<Record<FailureCode, string>> = {
  malformed: 'invalid_request_error',
  unauthenticated: 'authentication_error',
  refused: 'permission_error',
  unknown: 'not_found_error',
  rejected: 'conflict_error',
  'too-large': 'invalid_request_error',
  'over-budget': 'rate_limit_error',
  disabled: 'invalid_request_error',
  unavailable: 'server_error',
  'timed-out': 'server_error',
  internal: 'server_error',
  damaged: 'server_error',
  unready: 'server_error',
};

/** A refusal, or the failure of a run, as clients of OpenAI read it. */
export function chatError({ code, message }: Failure): { readonly error: object } {
  return { error: { message, type: types[code], param: null, code } };
}
