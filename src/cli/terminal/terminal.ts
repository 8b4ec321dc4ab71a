import type { Paint } from './line.ts';
import { painter } from './line.ts';

/** Where a command is typed, and where it shows what it does. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly out: NodeJS.WriteStream;
  readonly error: NodeJS.WriteStream;
  /** Whether what was drawn can be drawn over. */
  readonly isLive: boolean;
  /** Whether somebody sits there who can be asked. */
  readonly canAsk: boolean;
  readonly paint: Paint;
  readonly say: (line?: string) => void;
  /** What is not the output: hints, warnings, failures. */
  readonly warn: (line: string) => void;
}

export function processTerminal(): Terminal {
  const { stdin: input, stdout: out, stderr: error } = process;
  const isLive = out.isTTY === true && process.env['TERM'] !== 'dumb';
  for (const stream of [out, error]) {
    stream.on('error', (problem: NodeJS.ErrnoException) => {
      // Whoever reads our output may leave, and a terminal may be closed; the run goes on without a viewer.
      if (problem.code !== 'EPIPE' && problem.code !== 'EIO') throw problem;
    });
  }
  return {
    input,
    out,
    error,
    isLive,
    canAsk: isLive && input.isTTY === true,
    paint: painter(out),
    say: (line = '') => void out.write(`${line}\n`),
    warn: (line) => void error.write(`${line}\n`),
  };
}
