import { appendFileSync } from 'node:fs';
import type { DialTurn } from '../dial/dial-server.ts';
import type { RestoredCall } from '../agent/restore.ts';

/** What the agent was sent, so that anybody can see what it remembered and from where. */
export interface LoggedRequest {
  readonly at: string;
  readonly deployment: string;
  readonly conversation: string;
  readonly roles: readonly string[];
  readonly question: string;
  /** Calls of earlier turns, as they came back in the state of assistant messages. */
  readonly restored: readonly RestoredCall[];
}

export interface RequestLog {
  readonly requests: readonly LoggedRequest[];
  add(turn: DialTurn, more: Pick<LoggedRequest, 'question' | 'restored'>): void;
}

/** Kept for as long as the process lives, and in a file beyond that: a line of JSON each. */
export function requestLog(file?: string): RequestLog {
  const requests: LoggedRequest[] = [];
  return {
    requests,
    add({ deployment, conversation, messages }, more) {
      const roles = messages.map(({ role }) => role);
      const logged = { at: new Date().toISOString(), deployment, conversation, roles, ...more };
      requests.push(logged);
      if (requests.length > 1000) requests.shift();
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(logged)}\n`);
    },
  };
}
