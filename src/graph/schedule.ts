import { Cron } from 'croner';
import { z } from 'zod';
import { Json } from '../run/values.ts';
import { problemOf, type Problem, type ProblemCode, type ProblemValues } from './problem.ts';

/** When a workflow is started by itself. */
export const Schedule = z.strictObject({
  /** Five parts: minute, hour, day, month, weekday. */
  cron: z.string().min(1).max(200),
  /** As `Europe/Berlin`: a time of day means nothing without one. */
  timezone: z.string().min(1).max(100),
  /** What the runs get. */
  input: Json.optional(),
  /** Of the times that came while nobody looked: the last, none, or all of them (24 at most). */
  missed: z.enum(['last', 'none', 'all']).optional(),
  /** While a run of it has not ended: leave the next out, let it wait, or start it beside. */
  overlap: z.enum(['skip', 'queue', 'start']).optional(),
});
export type Schedule = z.infer<typeof Schedule>;

/** A time of no particular meaning, from which every schedule that is ever due is due again within some years. */
const anyTime = Date.UTC(2024, 0, 1);

/** What is wrong with when a workflow is to be started. */
export function scheduleProblems(schedules: readonly Schedule[] = []): readonly Problem[] {
  return schedules.flatMap((schedule, i): Problem[] => {
    const wrong = (part: string, code: ProblemCode, values: ProblemValues) => [
      problemOf(code, { node: '', field: `schedules.${i}.${part}` }, values),
    ];
    const { cron, timezone } = schedule;
    if (!isZone(timezone)) return wrong('timezone', 'no-timezone', { timezone });
    try {
      if (nextTimes(schedule, anyTime, 1).length > 0) return [];
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message.replace(/^\w+: /, '') : '';
      return wrong('cron', 'no-cron', { cron, message });
    }
    return wrong('cron', 'never-due', { cron });
  });
}

/** The next times after one, as milliseconds. What a clock change leaves out comes after it, what it repeats comes once. */
export function nextTimes({ cron, timezone }: Schedule, after: number, count: number): readonly number[] {
  const clock = cronOf(cron, timezone);
  const times: number[] = [];
  for (let at = new Date(after); times.length < count;) {
    const next = clock.nextRun(at);
    if (!next) break;
    times.push(next.getTime());
    at = next;
  }
  return times;
}

/** How far to look back first: what comes every minute has some thousand times in it. Milliseconds. */
const window = 2 * 24 * 3_600_000;

/** The last times after one and up to another, `most` at most. However many there were, the work is bounded. */
export function timesBetween(
  schedule: Schedule,
  { after, until }: { readonly after: number; readonly until: number },
  most: number,
): readonly number[] {
  for (let back = window; ; back *= 16) {
    const from = Math.max(after, until - back);
    const times: number[] = [];
    for (let at = from; ;) {
      const [next = Infinity] = nextTimes(schedule, at, 1);
      if (next > until) break;
      times.push(next);
      at = next;
    }
    if (from === after || times.length >= most) return times.slice(-most);
  }
}

const known = new Map<string, Cron>();
const mostKnown = 1_000;

/** Never started: it only tells times. */
function cronOf(cron: string, timezone: string): Cron {
  const key = JSON.stringify([cron, timezone]);
  const made = known.get(key) ?? new Cron(cron, { timezone, mode: '5-part', paused: true });
  if (known.size >= mostKnown) known.clear();
  known.set(key, made);
  return made;
}

function isZone(timezone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).format(anyTime) !== '';
  } catch {
    return false;
  }
}
