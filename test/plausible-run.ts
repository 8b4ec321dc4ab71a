import fc, { type Arbitrary } from 'fast-check';
import type { Entry } from '../src/run/events.ts';
import type { BlobRef } from '../src/run/values.ts';
import { anyBlob, anyText } from './arbitraries.ts';
import { interruptions, Scribe, type Interruption } from './scribe.ts';
import { anyWork, type Work } from './work.ts';

/**
 * Journals as the engine writes them: nested and parallel steps, mirrored stages, gated calls, retries after a takeover,
 * pauses, follow-up messages, stops. Always ended, and nothing in it is out of place.
 */
export const plausibleRun: Arbitrary<Entry[]> = fc
  .record({
    text: anyText,
    work: fc.array(anyWork, { minLength: 1, maxLength: 4 }),
    picks: fc.array(fc.nat({ max: 7 }), { maxLength: 60, size: 'max' }),
    breaks: fc.array(fc.tuple(fc.nat({ max: 40 }), fc.constantFrom(...interruptions)), { maxLength: 4 }),
    fails: fc.boolean(),
    isTerse: fc.boolean(),
    answer: fc.oneof(fc.constant('That is all.'), anyText, anyBlob),
    isFollowUp: fc.boolean(),
  })
  .map(play);

interface Story {
  readonly text: string;
  readonly work: readonly Work[];
  readonly picks: readonly number[];
  readonly breaks: readonly (readonly [tick: number, what: Interruption])[];
  readonly fails: boolean;
  /** What is left open below a step may be closed by the end of the step alone. */
  readonly isTerse: boolean;
  readonly answer: string | BlobRef;
  readonly isFollowUp: boolean;
}

function play({ text, work, picks, breaks, fails, isTerse, answer, isFollowUp }: Story): Entry[] {
  const scribe = new Scribe(picks, isTerse);
  scribe.begin(text, isFollowUp ? ['run-0'] : undefined);
  const playing = scribe.children(0, { children: work, atOnce: false });
  let stopped = false;
  for (let tick = 0; !stopped; tick += 1) {
    for (const [, what] of breaks.filter(([at]) => at === tick)) stopped ||= scribe.interrupt(what);
    if (!stopped && playing.next().done) break;
  }
  scribe.end(stopped ? 'stopped' : fails ? 'failed' : 'completed', answer);
  return scribe.entries;
}
