import type { Framing } from '../../wire/framing.ts';
import type { Form } from './channel.ts';

/** Where frames go: a response, a socket. */
export interface Sink {
  /** How frames look there; as server-sent events unless said. */
  readonly framing?: Framing;
  /** What of them is written. */
  readonly form: Form;
  /** False when it has enough for now: nothing more until it says that it has drained. */
  write(bytes: Buffer): boolean;
  /** The same for frames that nobody else gets: their bytes are made on the way out. */
  say?(frames: string): boolean;
  /** Bytes that wait here until they are taken. */
  held(): number;
  /** Time for a sign of life that is no frame, or for asking for one. `heard` if something was just written. */
  beat(heard: boolean): void;
  /** Nothing more comes. A farewell asks to come back. */
  end(farewell?: 'reconnect'): void;
  /** Cut it off: it takes nothing and says nothing. */
  cut(): void;
  /** Called once: what to do when it has drained, and when it is gone. */
  listen(heard: { readonly drained: () => void; readonly gone: () => void }): void;
}

/** Somebody who watches: a place in the journal, and whether they take more now. */
export interface Viewer {
  readonly sink: Sink;
  seq: number;
  /** `live` gets what comes, `reading` waits for the archive, `stalled` for its own connection. */
  is: 'live' | 'reading' | 'stalled' | 'gone';
  /** When it stalled, on the server's clock. */
  since: number;
  /** Whether it was written to since the last beat. */
  heard: boolean;
}

/** A comment: no client takes it for a frame, and whatever is between us sees that the connection lives. */
export const comment = ': \n\n';

/** Without an id and without data: clients only learn how soon to come back. */
export const farewell = ': the server is going away; come back with your cursor\nretry: 1000\n\n';

/** How many characters are written to one viewer at once. */
export const blockSize = 64 * 1024;
