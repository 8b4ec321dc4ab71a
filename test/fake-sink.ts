import type { Sink } from '../src/server/viewers/viewer.ts';

/** The other end of a connection, in the hands of a test. */
export interface FakeSink extends Sink {
  /** All that was written. */
  readonly text: string;
  readonly writes: number;
  /** Bytes that were written since it stalled. */
  held(): number;
  readonly ending: 'open' | 'ended' | 'reconnect' | 'cut';
  readonly beats: number;
  /** From now on it has enough, or takes everything again. */
  stall(): void;
  drain(): void;
  leave(): void;
}

export function fakeSink(): FakeSink {
  let text = '';
  let writes = 0;
  let held = 0;
  let beats = 0;
  let isStalled = false;
  let ending: FakeSink['ending'] = 'open';
  let heard = { drained: (): void => {}, gone: (): void => {} };
  return {
    get text() {
      return text;
    },
    get writes() {
      return writes;
    },
    held: () => held,
    get beats() {
      return beats;
    },
    get ending() {
      return ending;
    },
    form: (frames) => Buffer.from(frames),
    write(bytes) {
      text += bytes.toString();
      writes += 1;
      if (isStalled) held += bytes.length;
      return !isStalled;
    },
    beat: (heard) => void (beats += heard ? 0 : 1),
    end: (why) => void (ending = why ?? 'ended'),
    cut() {
      ending = 'cut';
      heard.gone();
    },
    listen: (listeners) => void (heard = listeners),
    stall: () => void (isStalled = true),
    drain() {
      isStalled = false;
      held = 0;
      heard.drained();
    },
    leave: () => heard.gone(),
  };
}
