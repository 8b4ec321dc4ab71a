// The terminal as a process of its own, for tests that need more than one.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/vitrine.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** Resolves when its output so far contains this, with all of it. */
  until(text: string): Promise<string>;
  readonly ended: Promise<Finished>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Start `vitrine` with these words. Its output is piped, so it is plain. */
export function start(words: readonly string[], { cwd, env = {} }: Surroundings): Running {
  const child = spawn(process.execPath, [bin, ...words], {
    cwd,
    env: { ...process.env, VITRINE_PACE: '0', npm_lifecycle_event: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  const waiting = new Set<() => void>();
  const hear = (): void => waiting.forEach((look) => look());
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
    hear();
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    error += piece;
    hear();
  });
  const ended = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, error }));
  });
  return {
    child,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!out.includes(text) && !error.includes(text)) return;
          waiting.delete(look);
          resolve(`${out}${error}`);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`«${text}» never came:\n${out}\n${error}`)));
      }),
  };
}

/** Run `vitrine` to its end. */
export function vitrine(words: readonly string[], surroundings: Surroundings): Promise<Finished> {
  return start(words, surroundings).ended;
}
