import { failureOf, RunError } from '../../run/failure.ts';
import { hasLeft } from '../access/keys.ts';
import type { ServerContext } from '../context.ts';
import { startRun } from '../routes/start-run.ts';
import { keepStarting, type DueRun } from './scheduler.ts';
import { workflowApp } from './workflow-app.ts';
import { workflowInput } from './workflow-input.ts';

/**
 * Start what is due for as long as the server is there. A terminal that will not stay begins nothing: whoever serves the folder
 * next does. Resolves when nothing more is started.
 */
export async function keepSchedules(context: ServerContext, closing: AbortSignal): Promise<void> {
  const { home, log, alarm } = context;
  if (home.worker?.takes === 'asked' || home.catalog.isUnread === true) return;
  const problem = (cause: unknown): void => {
    if (failureOf(cause).code === 'internal') log.problem('What is due could not be started.', cause);
  };
  const scheduling = { store: home.store, start: (due: DueRun) => start(context, due), problem };
  await keepStarting(scheduling, alarm, closing);
}

/** With the last key of somebody ends what they have had started by the clock. */
async function expectThere(
  { home }: ServerContext,
  { tenant, who }: Pick<DueRun, 'tenant' | 'who'>,
): Promise<void> {
  const { shared, dispatch } = home.store;
  if (!(await hasLeft(shared, { tenant, who }, await dispatch.time()))) return;
  throw new RunError(
    'refused',
    `«${who}», who published this, has no key any more: somebody else has to publish it for it to start.`,
  );
}

async function start(context: ServerContext, due: DueRun): Promise<void> {
  const { tenant, who, workflow: name, version, key, input, labels, notice } = due;
  const caller = { tenant, who, role: 'member' } as const;
  await expectThere(context, caller);
  const notices = notice === undefined ? [] : [{ code: 'SCHEDULE_MISSED', message: notice }];
  await startRun(context, caller, {
    app: await workflowApp(context.home, caller, { name, version }),
    input: workflowInput(name, input),
    labels: { ...labels },
    due: key,
    sent: { history: undefined, notices },
  });
}
