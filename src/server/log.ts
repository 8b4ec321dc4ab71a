import type { Log } from '../engine/world.ts';

/** One line of JSON for each problem, with its cause: for whoever operates the process, never for clients. */
export const stderrLog: Log = {
  error({ run, cause }, message) {
    const line = {
      at: new Date().toISOString(),
      message,
      ...(run === undefined ? {} : { run }),
      cause: told(cause),
    };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  },
};

function told(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
