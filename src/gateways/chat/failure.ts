import { type FailureCode, RunError } from '../../run/failure.ts';
import { readChatError } from '../../wire/openai.ts';

const codeOf: Readonly<Record<number, FailureCode>> = {
  400: 'malformed',
  401: 'unauthenticated',
  403: 'refused',
  404: 'unknown',
  409: 'rejected',
  413: 'too-large',
  422: 'malformed',
};

const passing = new Set([408, 429, 500, 502, 503, 504, 529]);
const passingWords =
  /^(server_error|internal_server_error|rate_limit_\w+|overloaded\w*|service_unavailable\w*)$/i;

/** The failure an answer with this status stands for, in upstream's own words. */
export function failureOfStatus(who: string, status: number, words: string): RunError {
  const message = sentence(`${who} answered ${status}${words === '' ? '' : `: ${words}`}`);
  return new RunError(codeOf[status] ?? 'unavailable', message, { retryable: passing.has(status) });
}

/** The failure an error in the middle of a stream stands for; many servers put the status into its code. */
export function failureOfError(who: string, error: unknown, clean: (text: string) => string): RunError {
  const { message, codes } = readChatError(error);
  const status = codes.map(Number).find((code) => code >= 400 && code < 600);
  const retryable =
    (status !== undefined && passing.has(status)) || codes.some((code) => passingWords.test(code));
  const words = message === undefined ? 'it gave no reason' : clean(message);
  return new RunError(codeOf[status ?? 0] ?? 'unavailable', sentence(`${who} reported an error: ${words}`), {
    retryable,
  });
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What the body of a refusal says, in whatever form. */
export function wordsOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return body;
    const error = 'error' in value ? value.error : value;
    const detail = 'detail' in value && typeof value.detail === 'string' ? value.detail : undefined;
    return readChatError(error).message ?? detail ?? body;
  } catch {
    return body;
  }
}

const secretLooking = /\b(?:sk|pk|key|token|secret)[-_][\w-]{8,}|\bBearer\s+\S+/gi;

/** Makes upstream's words fit to be shown: one line, short, and without the secrets that were sent to it. */
export function cleaner(secrets: readonly string[]): (text: string) => string {
  // Anything shorter is no secret, and would be found in the middle of words.
  const hidden = secrets.filter((secret) => secret.length >= 8);
  return (text) => {
    let clean = text;
    for (const secret of hidden) clean = clean.replaceAll(secret, '[redacted]');
    clean = clean
      .replaceAll(secretLooking, '[secret]')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return clean.length > 500 ? `${clean.slice(0, 500).toWellFormed()}…` : clean;
  };
}
