import { nextTimes, scheduleProblems, type Schedule } from '../../../../src/graph/schedule.ts';
import type { Json } from '../../../../src/run/values.ts';
import type { ToldSchedule } from '../../../../src/wire/native/schedules.ts';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import type { Edit } from '../../canvas/model/edits.ts';

/** A schedule of what is drawn, of what is published, or of both. */
export interface ShownSchedule {
  readonly schedule: Schedule;
  /** Its place in what is drawn; absent where it is in what is published alone. */
  readonly place?: number;
  /** How it stands; absent where it is not published. */
  readonly told?: ToldSchedule;
}

/** Those that are drawn, as far as they can be read, and those that will be gone with the next publish. */
export function shownSchedules(
  graph: DraftGraph,
  published: readonly ToldSchedule[],
): readonly ShownSchedule[] {
  const drawn = schedulesIn(graph).map((schedule, place): ShownSchedule => {
    const told = published.find((one) => keyOf(one) === keyOf(schedule));
    return { schedule, place, ...(told ? { told } : {}) };
  });
  const known = new Set(drawn.map(({ schedule }) => keyOf(schedule)));
  const gone = published.filter((told) => !known.has(keyOf(told)));
  return [...drawn, ...gone.map((told) => ({ schedule: told, told }))];
}

/** What says the same is the same schedule, as the server has it. */
function keyOf({ cron, timezone, input = null }: Pick<Schedule, 'cron' | 'timezone' | 'input'>): string {
  return JSON.stringify([cron, timezone, input]);
}

function schedulesIn(graph: DraftGraph): readonly Schedule[] {
  const given: unknown = Reflect.get(graph, 'schedules');
  return Array.isArray(given) ? given.map(scheduleOf) : [];
}

/** What is missing in it is empty, and told as a problem. */
function scheduleOf(given: unknown): Schedule {
  const { cron, timezone, ...rest } = Object(given) as Partial<Schedule>;
  return { ...rest, cron: typeof cron === 'string' ? cron : '', timezone: String(timezone ?? '') };
}

/** Puts a schedule at a place, or at the end; without one, takes out what is there. */
export function scheduled(place: number | undefined, schedule: Schedule | undefined): Edit {
  return (graph) => {
    const list = [...schedulesIn(graph)];
    list.splice(place ?? list.length, place === undefined ? 0 : 1, ...(schedule ? [schedule] : []));
    const { schedules: _, ...rest } = graph as DraftGraph & { readonly schedules?: Json };
    return (list.length === 0 ? rest : { ...rest, schedules: list }) as DraftGraph;
  };
}

/** When it comes next, three times at most; nothing where it cannot be read. */
export function timesOf(schedule: Schedule, now: number): readonly number[] {
  return scheduleProblems([schedule]).length === 0 ? nextTimes(schedule, now, 3) : [];
}
