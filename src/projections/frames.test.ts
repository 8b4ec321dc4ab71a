import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries, everyKind } from '../../test/arbitraries.ts';
import { sized } from '../../test/long.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { variety } from '../../test/variety.ts';
import { Channel, Decision, Outcome, type Entry } from '../run/events.ts';
import { ConsoleFrame, DottedFrame } from '../wire/console.ts';
import { ExecutionFrame } from '../wire/execution.ts';
import { sseTexts, type SseFrame } from '../wire/sse-frame.ts';
import { ownProtocols } from './own-protocols.ts';
import type { Preferences, Telling } from './projection.ts';
import { encodeAll } from '../run/entries.ts';

type Name = keyof typeof ownProtocols;

const names = [
  'steps',
  'console',
  'console-dotted',
  'execution',
  'ag-ui',
  'ai-sdk',
  'a2ui-flat',
  'a2ui-0.8',
  'a2ui-0.9',
  'a2ui-1.0',
  'two-stage',
] as const satisfies readonly Name[];
const tastes: readonly Preferences[] = [
  {},
  { stages: 'flat' },
  { stages: 'prefix', depth: 3 },
  { stages: 'off' },
  { names: ['stage', 'Web', 'Web Search'], stages: 'nested' },
  { depth: 1 },
];
const views = names.flatMap((as) => tastes.map((preferences) => ({ as, preferences })));

/** Mostly as the engine writes them; the law holds for any others too. */
const anyJournal = fc.oneof({ weight: 3, arbitrary: plausibleRun }, { weight: 1, arbitrary: anyEntries });

/** Each kind of viewer with so many runs: more than a thousand runs, each at every cursor. */
const runsEach = sized(16, 60);

function begin({ as, preferences }: { as: Name; preferences: Preferences }): Telling<SseFrame> {
  return ownProtocols[as].telling({ run: 'run-1', preferences, cardsBefore: 2 });
}

/** The frames of each entry, as text. */
function texts(viewer: Telling<SseFrame>, entries: readonly Entry[]): string[] {
  return entries.map((entry) => sseTexts(viewer.tell(entry)));
}

describe.for(views)('$as with $preferences', (view) => {
  test('[P4] at every cursor, what came before and what is resumed is the unbroken stream, byte for byte', () => {
    fc.assert(
      fc.property(anyJournal, (entries) => {
        const unbroken = texts(begin(view), entries);
        const viewer = begin(view);
        const broken: number[] = [];
        for (const [k, entry] of entries.entries()) {
          const rest = unbroken.slice(k).join('');
          if (texts(viewer.fork(), entries.slice(k)).join('') !== rest) broken.push(k);
          if (sseTexts(viewer.tell(entry)) !== unbroken[k]) broken.push(k);
        }
        expect(broken, 'cursors at which a viewer is told something else').toEqual([]);
      }),
      { numRuns: runsEach },
    );
  });

  test('[P4] one who comes back to a server that kept nothing gets the rest, also while the run works', () => {
    fc.assert(
      fc.property(anyJournal, fc.nat(), fc.nat(), (entries, cut, head) => {
        if (entries.length === 0) return;
        const written = entries.slice(0, 1 + (head % entries.length));
        const k = cut % (written.length + 1);
        const unbroken = texts(begin(view), entries);
        const again = begin(view);
        texts(again, written.slice(0, k));
        expect(texts(again, written.slice(k))).toEqual(unbroken.slice(k, written.length));
      }),
      { numRuns: 20 },
    );
  });

  test('[P5] the last frame of an entry carries its number, and no other frame has an id', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        const viewer = begin(view);
        for (const entry of entries) {
          const frames = viewer.tell(entry);
          expect(frames.map(({ id }) => id)).toEqual(frames.map((_, i) => idOf(frames, i, entry)));
        }
      }),
      { numRuns: 15 },
    );
  });

  test('[P6] a run has one terminal frame, its last, with its last number', () => {
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
        const viewer = begin(view);
        const frames = entries.flatMap((entry) => viewer.tell(entry));
        const end = entries.find(({ event }) => event.type === 'run.ended');
        const terminals = frames.filter((frame) => isTerminal(view.as, frame, end?.seq));
        expect(viewer.hasEnded).toBe(end !== undefined);
        expect(terminals.length).toBe(end ? 1 : 0);
        if (end) expect(frames.at(-1)).toBe(terminals[0]);
        if (end) expect(frames.at(-1)?.id).toBe(end.seq);
      }),
      { numRuns: 20 },
    );
  });

  test('[P7] an entry that comes again, and whatever follows the end, tells nothing', () => {
    fc.assert(
      fc.property(plausibleRun, fc.nat(), (entries, cut) => {
        const viewer = begin(view);
        texts(viewer, entries.slice(0, 1 + (cut % entries.length)));
        expect(texts(viewer, entries.slice(0, 1 + (cut % entries.length))).join('')).toBe('');
        texts(viewer, entries);
        const late = entries.map((entry) => ({ ...entry, seq: entry.seq + entries.length }));
        expect(texts(viewer, late).join('')).toBe('');
      }),
      { numRuns: 10 },
    );
  });
});

function idOf(frames: readonly SseFrame[], i: number, { seq }: Entry): number | undefined {
  return i === frames.length - 1 ? seq : undefined;
}

function isTerminal(
  as: (typeof names)[number],
  { event, data, id }: SseFrame,
  end: number | undefined,
): boolean {
  switch (as) {
    case 'steps':
      return JSON.parse(data).e?.type === 'run.ended';
    case 'console':
    case 'console-dotted':
      return event === 'done';
    case 'execution': {
      const frame = ExecutionFrame.parse(JSON.parse(data));
      const isCompleted = frame.event === 'run_completed' && frame.payload.status === 'completed';
      return isCompleted || frame.event === 'run_failed';
    }
    case 'ag-ui': {
      const { type, outcome } = JSON.parse(data);
      return type === 'RUN_ERROR' || (type === 'RUN_FINISHED' && outcome.type !== 'interrupt');
    }
    case 'ai-sdk':
      // An answer that goes on in the next request has come to its end, too.
      return data === '[DONE]' && id === end;
    case 'two-stage':
      return JSON.parse(data).phase === 'complete' && JSON.parse(data).done === true;
    case 'a2ui-flat':
      return /^(Completed|Failed|Stopped)$/.test(String(JSON.parse(data).data?.title));
    case 'a2ui-0.8': {
      const { path, contents } = JSON.parse(data).dataModelUpdate ?? {};
      return path === '/status' && /^(completed|failed|stopped)/.test(String(contents[0].valueString));
    }
    case 'a2ui-0.9':
    case 'a2ui-1.0': {
      const { path, value } = JSON.parse(data).updateDataModel ?? {};
      return path === '/status' && /^(completed|failed|stopped)/.test(String(value));
    }
  }
}

test('[P8] the native stream is what the journal keeps, byte for byte', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      expect(texts(begin({ as: 'steps', preferences: {} }), entries).join('')).toBe(encodeAll(entries));
    }),
  );
});

const schemas = [
  { as: 'console', schema: ConsoleFrame, isNamed: true },
  { as: 'console-dotted', schema: DottedFrame, isNamed: true },
  { as: 'execution', schema: ExecutionFrame, isNamed: false },
] as const;

test.for(schemas)(
  '[P9] every frame of $as fits its schema, whatever the entries say',
  ({ as, schema, isNamed }) => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), fc.constantFrom(...tastes), (entries, preferences) => {
        const viewer = begin({ as, preferences });
        for (const { event, data } of entries.flatMap((entry) => viewer.tell(entry))) {
          const value: unknown = isNamed ? { event, data: JSON.parse(data) } : JSON.parse(data);
          const parsed = schema.safeParse(value);
          expect(parsed.error, data).toBeUndefined();
          if (parsed.data) seen.add(parsed.data.event);
        }
      }),
      { numRuns: 300, seed: 5 },
    );
    const all = schema.options
      .map((option) => option.shape.event.value)
      .filter((name) => name !== 'heartbeat');
    expect([...seen].toSorted()).toEqual(all.toSorted());
  },
);

test('the runs of these tests have every kind, outcome and turn of events', () => {
  const runs = fc.sample(plausibleRun, { numRuns: 300, seed: 11 });
  const seen = new Set(runs.flatMap((entries) => [...variety(entries)]));
  const wanted = [
    'depth 4, depth 5, superseded, mirrored, parallel, closed by their parent, lapsed, recovered, woken',
    'run completed, run failed, run stopped, attachment, visualization, citation, action',
    'agent, answer, route, branch, turn, call, ask, stage',
  ].flatMap((line) => line.split(', '));
  const all = [...everyKind, ...Outcome.options, ...Channel.options, ...Decision.options, ...wanted];
  for (const one of all) expect(seen).toContain(one);
});
