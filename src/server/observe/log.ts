import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
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

/** Where it is in a data folder. */
export function logIn(folder: string): string {
  return join(folder, 'vitrine.log');
}

/** Takes away what was said of a run of which nothing is left. */
export function forgetInLog(path: string, run: string): void {
  if (!existsSync(path)) return;
  const lines = readFileSync(path, 'utf8').split('\n');
  const others = lines.filter((line) => !line.includes(JSON.stringify(run)));
  if (others.length < lines.length) writeFileAtomic.sync(path, others.join('\n'), { mode: 0o600 });
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

/** How many causes are told behind one another. */
const deepest = 8;

function told(cause: unknown, depth = 0): string {
  if (typeof cause === 'string') return cause;
  if (!(cause instanceof Error)) return inspect(cause, { customInspect: false, breakLength: Infinity });
  const stack = cause.stack ?? cause.message;
  if (cause.cause === undefined || depth === deepest) return stack;
  return `${stack}\nbecause of ${told(cause.cause, depth + 1)}`;
}
