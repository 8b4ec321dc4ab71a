import { RunError } from '../../run/failure.ts';
import * as native from '../../wire/native/schedules.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { missing } from '../runs/quotas.ts';
import { route } from '../routes/route.ts';
import { changeShared, listShared } from '../shared/kind.ts';
import {
  scheduleStates,
  schedulesIn,
  stateKey,
  toldSchedule,
  type Scheduled,
  type ScheduleState,
} from './schedule-state.ts';
import { workflowKind as kind } from './workflow-problems.ts';

/** When workflows are started by themselves. */
export const scheduleRoutes = [
  route({
    ...native.listSchedules,
    async handle({ context, caller, params: { name = '' } }) {
      const { store } = context.home;
      const now = await store.dispatch.time();
      const states = await listShared(store.shared, scheduleStates);
      const schedules = (await schedulesOf({ context, caller }, name)).map((scheduled) => {
        const key = stateKey(scheduled);
        const state = states.find((known) => known.tenant === key.tenant && known.name === key.name);
        return toldSchedule(scheduled, state?.value, now);
      });
      return { status: 200, json: { schedules } };
    },
  }),
  route({
    ...native.pauseSchedule,
    handle: ({ context, caller, params }) =>
      steer({ context, caller }, params, (state, at) => ({
        ...state,
        paused: state.paused ?? { by: caller.who, at },
      })),
  }),
  route({
    ...native.resumeSchedule,
    handle: ({ context, caller, params }) =>
      // What was due while it was paused is not made up for.
      steer({ context, caller }, params, ({ paused, ...state }, at) =>
        paused ? { ...state, until: at } : state,
      ),
  }),
];

interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
}

async function schedulesOf({ context, caller }: Asking, name: string): Promise<readonly Scheduled[]> {
  const { definitions, store } = context.home;
  const { definition } = await definitions.read(caller, { kind, name });
  return schedulesIn(store, definition);
}

async function steer(
  asking: Asking,
  { name = '', schedule = '' }: Readonly<Record<string, string>>,
  next: (state: ScheduleState, now: number) => ScheduleState,
) {
  const { context, caller } = asking;
  const scheduled = (await schedulesOf(asking, name)).find(({ id }) => id === schedule);
  if (!scheduled) throw missing('schedule', schedule);
  if (scheduled.tenant !== caller.tenant)
    throw new RunError('refused', `The schedules of «${name}» are the configuration's: change it there.`);
  const { store, definitions } = context.home;
  const { definition } = await definitions.read(caller, { kind, name });
  if (definition.tenant === caller.tenant) await definitions.expectOwn(caller, { kind, name });
  const now = await store.dispatch.time();
  const key = { kind: scheduleStates, ...stateKey(scheduled) };
  const state = await changeShared(store.shared, key, (known = {}) => next(known, now));
  context.alarm.ring();
  return { status: 200, json: toldSchedule(scheduled, state, now) };
}
