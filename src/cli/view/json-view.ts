import { jsonLine } from '../terminal/escape.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { View } from './view.ts';

/** Every entry as a line of JSON, and nothing else. */
export function jsonView({ say }: Terminal, signal: AbortSignal): View {
  return {
    signal,
    show: ({ seq, at, event }) => say(jsonLine({ seq, at, event })),
    isWatched: false,
    expects: () => false,
    close: () => {},
  };
}
