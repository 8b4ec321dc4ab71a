import type { Sink } from '../viewers/viewer.ts';
import type { ServerSettings } from '../../catalog/server-settings.ts';
import type { Log } from '../../engine/world.ts';
import { pino } from 'pino';

/** What was answered of late, line by line, to each tenant its own. */
export interface LogTail {
  note(answered: AnsweredRequest, at: number): void;
  /** The last lines, then those that come, unless only the last are wanted. Whoever does not keep up misses some. */
  follow(tenant: string, sink: Sink, isPastOnly: boolean): void;
  /** Whoever follows is told to come back. */
  close(): void;
}

/** Lines that are kept for those who come later, of each tenant. */
const kept = 100;
/** Tenants that are remembered. */
const tenants = 1_000;
/** Into a silence, so that whatever is between us sees that the connection lives. Milliseconds. */
const beat = 25_000;

interface Line extends AnsweredRequest {
  readonly at: number;
}

interface Follower {
  readonly tenant: string;
  readonly sink: Sink;
  isStalled: boolean;
}

export function logTailOf(): LogTail {
  const lines = new Map<string, Line[]>();
  let newest: string | undefined;
  const followers = new Set<Follower>();
  const beating = setInterval(() => {
    for (const { sink } of followers) sink.beat(false);
  }, beat);
  beating.unref();
  const tell = (follower: Follower, frames: string): void => {
    if (!follower.isStalled && frames !== '')
      follower.isStalled = !follower.sink.write(follower.sink.form(frames));
  };
  return {
    note(answered, at) {
      const { tenant } = answered;
      if (tenant === undefined) return;
      const known = lines.get(tenant) ?? [];
      // To move what stands last already would make the map anew each few times.
      if (tenant !== newest) {
        lines.delete(tenant);
        lines.set(tenant, known);
        newest = tenant;
      }
      const line = { ...answered, at };
      if (known.push(line) >= 2 * kept) known.splice(0, kept);
      const [oldest = tenant] = lines.size > tenants ? lines.keys() : [];
      if (oldest !== tenant) lines.delete(oldest);
      for (const follower of followers) if (follower.tenant === tenant) tell(follower, frameOf(line));
    },
    follow(tenant, sink, isPastOnly) {
      const follower = { tenant, sink, isStalled: false };
      tell(follower, (lines.get(tenant) ?? []).slice(-kept).map(frameOf).join(''));
      if (isPastOnly) return sink.end();
      sink.listen({
        drained: () => void (follower.isStalled = false),
        gone: () => void followers.delete(follower),
      });
      followers.add(follower);
    },
    close() {
      clearInterval(beating);
      for (const { sink } of followers) sink.end('reconnect');
      followers.clear();
    },
  };
}

/** A log whose answers can be followed. */
export function followed(log: RequestLog, tail: LogTail, now: () => number): RequestLog {
  return {
    ...log,
    answered(request) {
      log.answered(request);
      tail.note(request, now());
    },
  };
}

/** Made for those who follow: nearly always nobody does. */
function frameOf({ method, route, status, milliseconds, who, at }: Line): string {
  const level = status >= 500 ? 'ERROR' : status >= 400 ? 'WARNING' : 'INFO';
  const msg = `${method} ${route} ${status} in ${milliseconds.toFixed(1)} ms${who === undefined ? '' : ` for ${who}`}`;
  const ts = new Date(at).toISOString().slice(11, 23);
  return `event: log\ndata: ${JSON.stringify({ ts, level, name: 'vitrine.http', msg })}\n\n`;
}

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
