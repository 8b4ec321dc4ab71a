import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { nextTimes, Schedule } from '../../graph/schedule.ts';
import { configurationTenant, type Definition } from '../../run/definition.ts';
import { folderOwner, localTenant } from '../../run/owner.ts';
import type { Store } from '../../stores/store.ts';
import type { ToldSchedule } from '../../wire/native/schedules.ts';
import type { Kind } from '../shared/kind.ts';
import { sha256 } from '../../loop/machine.ts';
import { parseJson } from '../../wire/sse.ts';
import { present } from '../../run/tree.ts';

/** What the processes of a store share of one schedule. */
export const ScheduleState = z.object({
  /** All that was due up to then is done, or left out. */
  until: z.number().optional(),
  paused: z.object({ by: z.string(), at: z.number() }).optional(),
  /** The run that was started last, and what was left out last, and why. */
  last: z.object({ due: z.number() }).optional(),
  skipped: z.array(z.object({ due: z.number(), why: z.string() })).optional(),
});
export type ScheduleState = z.infer<typeof ScheduleState>;

export const scheduleStates: Kind<ScheduleState> = { kind: 'schedule', schema: ScheduleState };

/** One schedule of what is published. */
export interface Scheduled {
  readonly id: string;
  readonly schedule: Schedule;
  readonly workflow: string;
  readonly version: number;
  /** Whose runs it starts: of what the configuration says, the owner's. */
  readonly tenant: string;
  readonly who: string;
  /** It counts from then on. */
  readonly since: number;
}

/** Where its state is. */
export function stateKey({ tenant, workflow, id }: Scheduled): {
  readonly tenant: string;
  readonly name: string;
} {
  return { tenant, name: `${workflow} ${id}` };
}

/** The schedules of one published version, by what they say: the same in the next version is the same schedule. */
export async function schedulesIn(
  { blobs }: Pick<Store, 'blobs'>,
  { tenant, name, version, hash, by, at }: Definition,
): Promise<readonly Scheduled[]> {
  const given = known.get(hash) ?? scheduleList(await blobs.get(tenant, hash));
  known.set(hash, given);
  const isOwners = tenant === configurationTenant;
  const whose = isOwners ? { tenant: localTenant, who: folderOwner } : { tenant, who: by };
  const each = given.map((schedule) => ({
    id: idOf(schedule),
    schedule,
    workflow: name,
    version,
    since: at,
    ...whose,
  }));
  return [...new Map(each.map((scheduled) => [scheduled.id, scheduled])).values()];
}

/** What a body says never changes under its hash, and is asked for every few seconds. */
const known = new LRUCache<string, readonly Schedule[]>({ max: 10_000 });

function scheduleList(text = '{}'): readonly Schedule[] {
  const given: unknown = Reflect.get(Object(parseJson(text)), 'schedules') ?? [];
  return z.array(Schedule).safeParse(given).data ?? [];
}

function idOf({ cron, timezone, input = null }: Schedule): string {
  return sha256(JSON.stringify([cron, timezone, input])).slice(0, 12);
}

/** How many of its next times are told. */
const toldTimes = 3;

/** A schedule as people see it at a moment. */
export function toldSchedule(
  { id, schedule }: Scheduled,
  state: ScheduleState | undefined,
  now: number,
): ToldSchedule {
  const { cron, timezone, input, missed = 'last', overlap = 'start' } = schedule;
  const { paused, last, skipped } = state ?? {};
  const next = paused ? [] : [...nextTimes(schedule, now, toldTimes)];
  const said = present({ input, paused, last, skipped });
  return { schedule: id, cron, timezone, missed, overlap, next, ...said };
}
