// The official processors of A2UI, live, cut off at every frame, and with frames that were tampered with.
import { describe, expect, test } from 'vitest';
import { surfaceClient, type SurfaceClient } from '../a2ui/clients.ts';
import { versions, type Version } from '../a2ui/schemas.ts';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../journal.ts';
import { sized } from '../long.ts';
import { variedRuns, variety } from '../variety.ts';
import type { Entry, RunEvent } from '../../src/run/events.ts';
import { foldAll } from '../../src/run/entries.ts';
import type { SseFrame } from '../../src/wire/sse-frame.ts';
import { a2uiProtocols } from '../../src/projections/a2ui/a2ui.ts';

const run = 'run_42';

const question: RunEvent = {
  type: 'approval.requested',
  approval: 'a1',
  step: 2,
  title: 'Send it?',
  fingerprint: 'f1',
  arguments: { to: 'ada' },
  priority: 'low',
  allowed: ['approve', 'reject'],
};
const answer = { kind: 'answer' } as const;
const turn = { kind: 'turn', agent: 'writer' } as const;
/** Deeper than there are templates, tried again with words and a question, with long text, and not ended well. */
const deep = journal(
  started('{"looks": "like JSON"}'),
  opened(1, 0, { kind: 'agent' }),
  opened(2, 1, callTo('send', { to: 'ada' })),
  opened(3, 2),
  opened(4, 3),
  opened(5, 4),
  said(5, '[deep'),
  said(5, ']'),
  question,
  { type: 'notice.posted', step: 5, code: 'ODD', message: 'An odd thing.' },
  { type: 'item.attached', step: 2, item: { kind: 'citation', title: 'A book' } },
  retried(2),
  { ...question, approval: 'a2', fingerprint: 'f2' },
  { type: 'approval.decided', approval: 'a2', decision: 'approve', by: 'ada' },
  closed(2, { result: { ok: true } }),
  opened(6, 0, answer),
  opened(7, 6, turn),
  said(7, 'One half.\n\nThe other'),
  closed(7),
  retried(6),
  opened(8, 6, turn),
  said(8, `A paragraph.\n\n\`\`\`\ncode\n\nmore\n\`\`\`\n\n${'word '.repeat(700)}`),
  { type: 'stop.requested', by: 'ada', reason: 'enough' },
  ended(undefined, { outcome: 'stopped' }),
);

const runs = [deep, ...variedRuns(3, 60)];

function told(version: Version, entries: readonly Entry[]): readonly (readonly SseFrame[])[] {
  const telling = a2uiProtocols[version].telling({ run });
  return entries.map((entry) => telling.tell(entry));
}

function prelude(version: Version, entries: readonly Entry[]): readonly SseFrame[] {
  return a2uiProtocols[version].prelude?.(foldAll(entries), { run }) ?? [];
}

function hear(client: SurfaceClient, frames: readonly SseFrame[]): SurfaceClient {
  for (const { data } of frames) client.take(data);
  return client;
}

/** What one who comes just now sees: by the tree alone, without any of the frames. */
function seen(version: Version, entries: readonly Entry[]): unknown {
  return hear(surfaceClient(version, run), prelude(version, entries)).state();
}

test('the runs have most of what can happen', () => {
  const has = new Set(runs.flatMap((entries) => [...variety(entries)]));
  const wanted = 'depth 5, superseded, lapsed, parallel, skipped, approval.decided, stop.requested, action';
  for (const kind of wanted.split(', ')) expect(has).toContain(kind);
});

describe.for(versions)('%s', (version) => {
  test('[UI2] one who was cut off at any frame and comes back ends with the same surface', () => {
    for (const entries of runs) {
      const frames = told(version, entries);
      const end = hear(surfaceClient(version, run), frames.flat()).state();
      expect(end).toEqual(seen(version, entries));
      for (const [place, ofEntry] of frames.entries()) {
        for (let had = 0; had < ofEntry.length; had += 1) {
          const client = hear(surfaceClient(version, run), frames.slice(0, place).flat());
          hear(client, ofEntry.slice(0, had));
          hear(client, prelude(version, entries.slice(0, place + 1)));
          hear(client, frames.slice(place + 1).flat());
          expect(client.state()).toEqual(end);
        }
      }
    }
  });

  test('[UI3] each message changes what is seen, and after each entry it is what the tree says', () => {
    for (const entries of runs) expect(watched(version, entries, told(version, entries))).toBe('');
  });

  test('[UI3] a message that is dropped, doubled or out of order is noticed', () => {
    const unnoticed: string[] = [];
    let tried = 0;
    for (const entries of [deep, ...variedRuns(sized(1, 4), sized(16, 60))])
      for (const { how, frame, changed } of tampered(version, told(version, entries))) {
        tried += 1;
        if (watched(version, entries, changed) === '') unnoticed.push(`${how}: ${frame.data}`);
      }
    expect(unnoticed).toEqual([]);
    expect(tried).toBeGreaterThan(120);
  });
});

type Frames = readonly (readonly SseFrame[])[];

interface Tampered {
  readonly how: string;
  readonly frame: SseFrame;
  readonly changed: Frames;
}

/** Each frame dropped, doubled, and in the place of its neighbour. */
function* tampered(version: Version, frames: Frames): Iterable<Tampered> {
  for (const [place, ofEntry] of frames.entries()) {
    for (const [i, frame] of ofEntry.entries()) {
      const next = frames[place + 1]?.[0];
      const broken = {
        dropped: replaced(frames, place, ofEntry.toSpliced(i, 1)),
        doubled: replaced(frames, place, ofEntry.toSpliced(i, 0, frame)),
        swapped: next && i === ofEntry.length - 1 ? swapped(frames, place) : undefined,
      };
      for (const [how, changed] of Object.entries(broken)) {
        // Version 0.8 shows nothing of what comes before it is told to begin.
        if (!changed || (how === 'doubled' && place === 0 && version === 'a2ui-0.8')) continue;
        yield { how, frame, changed };
      }
    }
  }
}

function replaced(frames: Frames, place: number, ofEntry: readonly SseFrame[]): Frames {
  return frames.with(place, ofEntry);
}

/** The last message of an entry and the first of the next change places. */
function swapped(frames: Frames, place: number): Frames | undefined {
  const [one = [], other = []] = frames.slice(place, place + 2);
  const [last, first] = [one.at(-1), other[0]];
  if (!last || !first) return undefined;
  return frames.with(place, [...one.slice(0, -1), first]).with(place + 1, [last, ...other.slice(1)]);
}

/** What is wrong with these frames, in the eyes of the official processor and by the tree; nothing is the empty text. */
function watched(version: Version, entries: readonly Entry[], frames: Frames): string {
  const client = surfaceClient(version, run);
  const text = (): string => JSON.stringify(client.state()) ?? '';
  try {
    for (const [i, ofEntry] of frames.entries()) {
      for (const { data } of ofEntry) {
        const before = text();
        client.take(data);
        if (before !== '' && text() === before) return `it changes nothing: ${data}`;
      }
      const wanted = seen(version, entries.slice(0, i + 1));
      if (shape(client.state()) !== shape(wanted)) return `after entry ${i + 1} it is not what the tree says`;
    }
    expect(client.state()).toEqual(seen(version, entries));
    return '';
  } catch (thrown) {
    return String(thrown);
  }
}

/** Text that is still growing may be told a little later, but for its beginning: all of it has to be there in the end. */
function shape(state: unknown): string {
  return JSON.stringify(state, (key, value: unknown) =>
    key === 'detail' || key === 'text' || key === 'literalString' ? String(value).slice(0, 1) : value,
  );
}
