import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries } from '../../test/arbitraries.ts';
import { closed, ended, journal, opened, retried, said, started } from '../../test/journal.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { variety } from '../../test/variety.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { foldAll } from '../run/entries.ts';
import { projectAll, type Projection } from './projection.ts';
import { overStory } from './story-projection.ts';
import type { OpenStep, Story, StoryEvent } from './story.ts';
import { worked } from './working-time.ts';

interface Heard {
  readonly event: StoryEvent;
  /** The step it is told of, with the attempt. */
  readonly step: string;
  readonly parent: number;
}

type Kept = { readonly story: Story<null>; readonly memory: null };

/** A listener that writes everything down. */
function story(reopens: boolean): Projection<Kept, Heard> {
  const hear = ({ frames }: { frames: Heard[] }, event: StoryEvent, step: OpenStep<null>): void =>
    void frames.push({ event, step: nameOf(step), parent: step.parent });
  const tell = new Proxy({}, { get: () => hear });
  return overStory<null, null, Heard>({ memory: () => null, own: () => null, reopens, tell });
}

function nameOf({ id, attempt }: { readonly id: number; readonly attempt: number }): string {
  return `s${id}.${attempt}`;
}

function heard(entries: readonly Entry[], reopens = false): readonly Heard[] {
  return projectAll(story(reopens), entries)[1];
}

const anyJournal = fc.oneof({ weight: 3, arbitrary: plausibleRun }, { weight: 1, arbitrary: anyEntries });
const ways = [{ reopens: false }, { reopens: true }];

describe.for(ways)('a story, reopens: $reopens', ({ reopens }) => {
  test('[P60] told from any cut it is the story told whole, and a copy goes on by itself', () => {
    fc.assert(
      fc.property(anyJournal, fc.nat(), (entries, cut) => {
        const place = cut % (entries.length + 1);
        const whole = heard(entries, reopens);
        const [kept, before] = projectAll(story(reopens), entries.slice(0, place));
        for (const again of [1, 2]) {
          const [, after] = projectAll(story(reopens), entries.slice(place), kept);
          expect([...before, ...after], `time ${again}`).toEqual(whole);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('[P61] all that opens is closed exactly once, below before above, and nothing is told of it after', () => {
    fc.assert(
      fc.property(anyJournal, (entries) => {
        const all = heard(withEnd(entries), reopens);
        const open = new Map<number, number>();
        for (const { event, step, parent } of all) {
          const id = Number(/\d+/.exec(step)?.[0]);
          if (event.type === 'step.opened') {
            expect(open.has(id), `${step} opens once`).toBe(false);
            expect(parent === 0 || open.has(parent), `${step} opens in something open`).toBe(true);
            open.set(id, parent);
          } else expect(id === 0 || open.has(id), `${event.type} in ${step}`).toBe(true);
          if (event.type === 'text.appended') expect(event.step, 'late text').toBe(id);
          if (event.type !== 'step.closed') continue;
          expect([...open.values()], `below ${step} all is closed`).not.toContain(id);
          open.delete(id);
        }
        expect([...open.keys()], 'open at the end').toEqual([]);
        expect(all.at(-1)?.event.type).toBe('run.ended');
      }),
      { numRuns: 300 },
    );
  });

  test('[P62] what is planned is opened or dropped, once', () => {
    fc.assert(
      fc.property(anyJournal, (entries) => {
        const planned = new Set<number>();
        for (const { event } of heard(withEnd(entries), reopens)) {
          if (event.type === 'step.planned') planned.add(event.step);
          if (event.type === 'step.opened') planned.delete(event.step);
          if (event.type === 'step.dropped') expect(planned.delete(event.step)).toBe(true);
        }
        expect(planned.size).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

test('[P63] steps end as the tree of the run has them', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const tree = foldAll(entries);
      const outcomes = new Map<number, string>();
      for (const { event } of heard(entries)) {
        if (event.type === 'step.closed') outcomes.set(event.step, event.outcome);
        if (event.type === 'step.dropped') outcomes.set(event.step, 'skipped');
      }
      for (const { id, status } of tree.steps.values())
        if (id !== 0) expect(outcomes.get(id), `step ${id}`).toBe(status);
      for (const one of variety(entries)) seen.add(one);
    }),
    { numRuns: 300, seed: 7 },
  );
  for (const one of ['superseded', 'parallel', 'closed by their parent', 'run stopped', 'skipped', 'depth 4'])
    expect(seen).toContain(one);
});

const nested: RunEvent[] = [started(), opened(1, 0), opened(2, 1), opened(3, 2), said(3, 'half')];

function told(entries: readonly Entry[], reopens = false): string[] {
  return heard(entries, reopens).map(({ event, step }) =>
    'outcome' in event ? `${event.type} ${step} ${event.outcome}` : `${event.type} ${step}`,
  );
}

describe('what is implied is said', () => {
  test('[P61] a step that ends takes along what is below it, the deepest first', () => {
    const entries = journal(...nested, opened(4, 1), closed(1, { outcome: 'stopped' }), said(3, 'late'));
    expect(told(entries).slice(6)).toEqual([
      'step.closed s3.1 stopped',
      'step.closed s4.1 stopped',
      'step.closed s2.1 stopped',
      'step.closed s1.1 stopped',
    ]);
  });

  test('[P64] a new attempt ends what the former one opened, and is told as people can take it', () => {
    const entries = journal(...nested, retried(2), said(2, 'again'), closed(1), ended('Done.'));
    expect(told(entries).slice(5)).toEqual([
      'step.closed s3.1 abandoned',
      'step.retried s2.2',
      'text.appended s2.2',
      'step.closed s2.2 abandoned',
      'step.closed s1.1 completed',
      'run.ended s0.1 completed',
    ]);
    expect(told(entries, true).slice(5, 9)).toEqual([
      'step.closed s3.1 abandoned',
      'step.closed s2.1 abandoned',
      'step.opened s2.2',
      'text.appended s2.2',
    ]);
  });

  test('[P64] what a former attempt said is gone', () => {
    const [{ story: at }] = projectAll(
      story(false),
      journal(...nested, said(2, 'no'), retried(2), said(2, 'yes')),
    );
    expect(at.steps.get(2)).toMatchObject({ text: 'yes', attempt: 2, isBegun: true });
  });
});

test('[P65] an entry costs the same however many steps were there before, and however many are open', () => {
  const visited = (steps: number): number => {
    const events: RunEvent[] = [started(), opened(1, 0)];
    for (let id = 2; id < steps; id += 1) events.push(opened(id, 1));
    for (let id = 2; id < steps; id += 1) events.push(closed(id));
    const [kept] = projectAll(story(false), journal(...events));
    return kept.story.steps.size + kept.story.planned.size + (kept.story.steps.get(1)?.below.size ?? 0);
  };
  expect(visited(5_000)).toBe(visited(50));
});

describe('what a story knows besides', () => {
  test('[P96] how long a step was worked on is without the time in which a person was asked in it or around it', () => {
    const asked: RunEvent = {
      type: 'approval.requested',
      approval: 'a-1',
      step: 2,
      title: 'May it?',
      fingerprint: 'f',
      allowed: ['approve'],
      priority: 'medium',
    };
    const waited = [asked, said(2, 'one'), said(2, 'two'), said(2, 'three')];
    const entries = journal(...nested, ...waited, { type: 'step.started', step: 2 }, said(3, 'on'));
    const [{ story: at }] = projectAll(story(false), entries);
    const now = entries.at(-1)?.at ?? 0;
    const seconds = [1, 2, 3].map((id) => {
      const step = at.steps.get(id);
      return step && worked(step, now) / 1_000;
    });
    expect(seconds).toEqual([5, 1, 3]);
  });

  test('[P97] of workers only a takeover is told', () => {
    const took = (reason: 'started' | 'woken' | 'recovered'): RunEvent => {
      return { type: 'worker.took', worker: 'w', epoch: 1, reason };
    };
    const entries = journal(started(), took('started'), took('woken'), took('recovered'));
    expect(heard(entries).map(({ event }) => event)).toEqual([started(), took('recovered')]);
  });
});

/** Entries up to their end, which is added where there is none. */
function withEnd(entries: readonly Entry[]): Entry[] {
  return [...entries, { seq: entries.length + 1, at: 2_000_000, event: ended('Done.') }];
}
