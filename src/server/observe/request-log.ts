import { pino } from 'pino';
import type { ServerSettings } from '../../catalog/server-settings.ts';
import type { Log } from '../../engine/world.ts';

export interface AnsweredRequest {
  readonly method: string;
  /** The pattern, never the address: that has names in it, and whatever else somebody wrote there. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The address it came from, as far as it is known. */
  readonly from: string;
  readonly who: string | undefined;
  readonly tenant: string | undefined;
}

/** What whoever operates the server reads. */
export interface RequestLog {
  answered(request: AnsweredRequest): void;
  /** A bug, with its cause. */
  problem(message: string, cause: unknown): void;
}

/** Lines of JSON, so that nothing a request says can make a line of its own. Keys, cookies and bodies are in none. */
export function requestLogOf(level: ServerSettings['log'], problems: Log): RequestLog {
  const out = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  return {
    answered({ method, route, status, milliseconds, from, who }) {
      const rounded = Math.round(milliseconds * 10) / 10;
      out.info({ method, route, status, from, who, milliseconds: rounded }, 'answered');
    },
    problem(message, cause) {
      if (level !== 'silent') problems.error({ cause }, message);
    },
  };
}
