import { appendFileSync } from 'node:fs';
import type { Log } from '../../engine/world.ts';

/** One line of JSON for each problem, with its cause: for whoever operates the process, never for clients. */
export const stderrLog: Log = {
  error: (details, message) => void process.stderr.write(lineOf(details, message)),
};

/** The same in a file, which is there once there is something in it. */
export function fileLog(path: string): Log {
  return {
    error(details, message) {
      try {
        appendFileSync(path, lineOf(details, message), { mode: 0o600 });
      } catch {
        // The disk may be what the problem is about; the run itself says what happened to it.
      }
    },
  };
}

/** A log that no secret gets into: what went wrong may quote what was sent. */
export function cleanLog(log: Log, clean: (text: string) => string): Log {
  return {
    error({ cause, ...details }, message) {
      const text = told(cause);
      const cleaned = clean(text);
      log.error({ ...details, cause: cleaned === text ? cause : cleaned }, clean(message));
    },
  };
}

/** As the lines of requests have it. */
const problemLevel = 50;

function lineOf({ run, cause }: Parameters<Log['error']>[0], message: string): string {
  const about = run === undefined ? {} : { run };
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: problemLevel, time, ...about, cause: told(cause), msg: message })}\n`;
}

function told(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
