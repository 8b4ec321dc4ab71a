import { RunError } from '../../run/failure.ts';
import { cleaner, failureOfStatus, wordsOf } from '../chat/attempt.ts';
import { codeIn, connectionFailed } from './event-channel.ts';

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly signal: AbortSignal;
}

/** Says something to which the answer is only that it was heard. */
export async function tell(who: string, url: URL, { headers, body, signal }: Message): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  }).catch((cause: unknown) => {
    throw new RunError('unavailable', `${connectionFailed(who, codeIn(cause))}.`, { cause });
  });
  const said = await response.text();
  if (response.ok) return;
  const secrets = Object.values(headers).map((value) => value.replace(/^Bearer /, ''));
  throw failureOfStatus(who, response.status, cleaner(secrets)(wordsOf(said)));
}
