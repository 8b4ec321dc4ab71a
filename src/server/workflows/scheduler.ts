import { nextTimes, timesBetween } from '../../graph/schedule.ts';
import { term } from '../../run/facts.ts';
import type { Definition } from '../../run/definition.ts';
import { failureOf } from '../../run/failure.ts';
import { type Json, appOfWorkflow } from '../../run/values.ts';
import type { Store } from '../../stores/store.ts';
import { changeShared, listShared } from '../shared/kind.ts';
import {
  scheduleStates,
  schedulesIn,
  stateKey,
  type Scheduled,
  type ScheduleState,
} from './schedule-state.ts';
import { workflowKind as kind } from './workflow-problems.ts';
import { present } from '../../run/tree.ts';

/** A run that a schedule wants begun. Whoever asks again with the same key means the same run. */
export interface DueRun extends Pick<Scheduled, 'tenant' | 'who' | 'workflow' | 'version'> {
  readonly key: string;
  readonly input: Json | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly notice: string | undefined;
}

export interface Scheduling {
  readonly store: Pick<Store, 'definitions' | 'blobs' | 'shared' | 'dispatch'>;
  readonly start: (due: DueRun) => Promise<void>;
  /** Hears what went wrong with a schedule, and is tried again. */
  readonly problem: (cause: unknown) => void;
}

/** How late a time may be and still be on time; and the longest until somebody looks again. Milliseconds. */
const onTime = 60_000;
const lookEvery = 10_000;
/** The most times that are made up for. */
const mostMissed = 24;
const mostSkipped = 10;

/** Resolves after so many milliseconds, or earlier where there may be something to do, or when the signal aborts. */
export interface Pauses {
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Starts what is due, again and again, until the signal aborts. */
export async function keepStarting(
  scheduling: Scheduling,
  pauses: Pauses,
  closing: AbortSignal,
): Promise<void> {
  while (!closing.aborted) {
    const pause = await startDue(scheduling).catch((thrown: unknown) => {
      scheduling.problem(thrown);
      return lookEvery;
    });
    await pauses.wait(pause, closing);
  }
}

/**
 * Starts what is due by the store's clock. Any number of processes may look at once: a due time is the key of its run, so each
 * is started once, and what is done is kept in the store. Returns how long nothing will be due. Milliseconds.
 */
export async function startDue(scheduling: Scheduling): Promise<number> {
  const { store } = scheduling;
  const now = await store.dispatch.time();
  const states = new Map(
    (await listShared(store.shared, scheduleStates)).map(({ tenant, name, value }) => [
      JSON.stringify([tenant, name]),
      value,
    ]),
  );
  let next = now + lookEvery;
  for await (const scheduled of allSchedules(store)) {
    const { tenant, name } = stateKey(scheduled);
    const state = states.get(JSON.stringify([tenant, name])) ?? {};
    try {
      next = Math.min(next, await startOne(scheduling, { scheduled, state, now }));
    } catch (thrown) {
      // The time is still due, so it is tried again.
      scheduling.problem(thrown);
    }
  }
  return Math.max(0, next - now);
}

/** All schedules of what is published, of all tenants. */
async function* allSchedules(store: Scheduling['store']): AsyncGenerator<Scheduled> {
  let newest: Definition | undefined;
  for (let after: Definition | undefined; ;) {
    const rows = await store.definitions.list({ kind, state: 'published', after });
    for (const row of rows) {
      if (newest && (newest.tenant !== row.tenant || newest.name !== row.name))
        yield* await schedulesIn(store, newest);
      newest = row;
    }
    after = rows.at(-1);
    if (!after) break;
  }
  if (newest) yield* await schedulesIn(store, newest);
}

interface One {
  readonly scheduled: Scheduled;
  readonly state: ScheduleState;
  readonly now: number;
}

/** When it is due next. */
async function startOne(scheduling: Scheduling, one: One): Promise<number> {
  const { scheduled, state, now } = one;
  const { schedule, since } = scheduled;
  const { overlap = 'start' } = schedule;
  if (state.paused) return Infinity;
  const after = Math.max(since, state.until ?? 0);
  const times = timesBetween(schedule, { after, until: now }, mostMissed);
  const { wanted, left } = chosenOf(one, times);
  for (const due of left) await note(scheduling, scheduled, { due, why: 'Nobody looked at the time.' });
  for (const [i, due] of wanted.entries()) {
    const open = overlap === 'start' ? undefined : await openRun(scheduling, scheduled, due);
    if (open !== undefined && overlap === 'queue') return now + lookEvery;
    if (open === undefined) await begin(scheduling, one, { due, missed: i === 0 ? left.length : 0 });
    else await note(scheduling, scheduled, { due, why: `Run ${open} of it had not ended.` });
  }
  const [next = Infinity] = nextTimes(schedule, now, 1);
  return next;
}

/** Which of the times that have come are started. */
function chosenOf(
  { scheduled, now }: One,
  times: readonly number[],
): { readonly wanted: readonly number[]; readonly left: readonly number[] } {
  const { missed = 'last' } = scheduled.schedule;
  const isWanted = (due: number, i: number): boolean =>
    missed === 'all' || (missed === 'last' ? i === times.length - 1 : now - due <= onTime);
  return { wanted: times.filter(isWanted), left: times.filter((due, i) => !isWanted(due, i)) };
}

async function openRun(
  { store }: Scheduling,
  { tenant, workflow, id }: Scheduled,
  due: number,
): Promise<string | undefined> {
  const terms = [term.label('schedule', id)];
  const app = appOfWorkflow(workflow);
  const rows = await store.dispatch.list({ tenant, app, unfinished: true, terms, limit: 2 });
  return rows.find(({ facts }) => facts.labels['due'] !== isoOf(due))?.run;
}

async function begin(
  scheduling: Scheduling,
  { scheduled }: One,
  { due, missed }: { readonly due: number; readonly missed: number },
): Promise<void> {
  const { tenant, who, workflow, version, id, schedule } = scheduled;
  const notice = missed === 0 ? undefined : `${missed} earlier times were left out: nobody looked at them.`;
  const key = JSON.stringify([workflow, id, due]);
  const labels = { schedule: id, due: isoOf(due) };
  try {
    await scheduling.start({ tenant, who, workflow, version, key, input: schedule.input, labels, notice });
  } catch (thrown) {
    const { code, message, retryable = false } = failureOf(thrown);
    if (retryable || code === 'internal' || code === 'over-budget') throw thrown;
    // Nothing will be otherwise when it is asked again.
    return note(scheduling, scheduled, { due, why: message });
  }
  await keep(scheduling, scheduled, (state) => ({ ...state, ...done(state, due), last: { due } }));
}

async function note(
  scheduling: Scheduling,
  scheduled: Scheduled,
  skipped: { readonly due: number; readonly why: string },
): Promise<void> {
  await keep(scheduling, scheduled, (state) => {
    const { skipped: before = [], until = 0 } = state;
    // Somebody else was here first.
    if (until >= skipped.due) return state;
    return { ...state, ...done(state, skipped.due), skipped: [...before, skipped].slice(-mostSkipped) };
  });
}

/** Whoever is behind does not bring back what others have done. */
function done({ until = 0 }: ScheduleState, due: number): ScheduleState {
  return { until: Math.max(until, due) };
}

async function keep(
  { store }: Scheduling,
  scheduled: Scheduled,
  next: (state: ScheduleState) => ScheduleState,
): Promise<void> {
  const key = { kind: scheduleStates, ...stateKey(scheduled) };
  await changeShared(store.shared, key, (state = {}) => present(next(state)));
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
