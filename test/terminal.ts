import { PassThrough } from 'node:stream';
import { unpainted } from '../src/cli/terminal/line.ts';
import type { Terminal } from '../src/cli/terminal/terminal.ts';

/** A terminal nobody sits at: what it is told is kept line by line. */
export function terminalFor(out: string[], error: string[]): Terminal {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream & NodeJS.ReadStream;
  return {
    input: stream,
    out: stream,
    error: stream,
    isLive: false,
    canAsk: false,
    paint: unpainted,
    say: (line = '') => void out.push(line),
    warn: (line) => void error.push(line),
  };
}
