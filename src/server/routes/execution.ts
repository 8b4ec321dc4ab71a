import { z } from 'zod';
import { ExecutionFrame, StepType } from '../../wire/execution.ts';
import type { RunTree } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { Showing, showing } from '../../wire/native/query.ts';
import type { Look } from '../runs/trees.ts';
import { toldRun } from '../sessions/told-run.ts';
import { route, watchRun } from './route.ts';
import { shownTo } from '../viewers/channels.ts';

const executionProtocol = 'execution';

const ExecutionStep = z.object({
  step_id: z.string(),
  step_name: z.string(),
  step_type: StepType,
  status: z.enum(['pending', 'running', 'interrupted', 'completed', 'failed']),
  input_summary: z.record(z.string(), z.unknown()),
  output_summary: z.record(z.string(), z.unknown()),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  error: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
type ExecutionStep = z.infer<typeof ExecutionStep>;

const Execution = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  steps: z.array(ExecutionStep),
});

export const executionRoutes = [
  route({
    method: 'WS',
    path: '/ws/execution/:run',
    about: 'The execution events of a run, all from the start, one envelope a message.',
    tag: 'execution',
    role: 'viewer',
    addresses: 'run',
    query: z.strictObject({ after: z.string().max(300).optional(), ...showing }),
    answers: { 101: { about: 'Envelopes, as they come.' } },
    handle: ({ context, caller, subject, query }) => ({
      ...watchRun({ context, caller }, subject, { as: executionProtocol, ...query }),
      bare: true,
    }),
  }),
  route({
    method: 'GET',
    path: '/workflows/execution/:run/steps',
    about: 'The steps of a run as the workflow platform lists them.',
    tag: 'execution',
    role: 'viewer',
    addresses: 'run',
    query: Showing,
    answers: { 200: { about: 'Every step that has begun, and those that are planned.', schema: Execution } },
    async handle({ context, caller, subject, query, heavy, left }) {
      await heavy(subject.bytes);
      const preferences = shownTo({ context, caller }, subject.app, query);
      return { status: 200, parts: await executionOf(context, subject, { preferences, signal: left() }) };
    },
  }),
];

async function executionOf(
  context: ServerContext,
  row: RunRow,
  look: Look,
): Promise<z.infer<typeof Execution>> {
  const steps = new Map<string, ExecutionStep>();
  let startedAt: string | null = null;
  let completedAt: string | null = null;
  for await (const { data } of toldRun(context, row, { as: executionProtocol, ...look })) {
    const frame = ExecutionFrame.parse(JSON.parse(data));
    take(steps, frame);
    if (frame.event === 'run_started') startedAt = frame.timestamp;
    if (isEnd(frame)) completedAt = frame.timestamp;
  }
  const tree = await context.trees.shown(row, look);
  for (const planned of plannedSteps(tree)) steps.set(planned.step_id, planned);
  for (const { id, status } of tree.steps.values()) {
    const step = status === 'waiting' ? steps.get(`s${id}`) : undefined;
    if (step) steps.set(step.step_id, { ...step, status: 'interrupted' });
  }
  return {
    run_id: row.run,
    workflow_id: row.app,
    started_at: startedAt,
    completed_at: completedAt,
    steps: [...steps.values()],
  };
}

function take(steps: Map<string, ExecutionStep>, frame: ExecutionFrame): void {
  const id = frame.step_id;
  if (id === null) return;
  if (frame.event === 'step_started') {
    const { step_name, step_type, input_summary, parent_step_id } = frame.payload;
    const metadata = parent_step_id === undefined ? {} : { parent_step_id };
    const begun = { step_name, step_type, input_summary, metadata, started_at: frame.timestamp };
    steps.set(id, { ...blank, ...begun, step_id: id, status: 'running' });
    return;
  }
  const step = steps.get(id);
  if (!step) return;
  if (frame.event === 'step_output') {
    // Titles may come in pieces; each time the whole of them is told.
    const { step_name } = frame.payload.intermediate_output;
    if (typeof step_name === 'string') steps.set(id, { ...step, step_name });
  } else if (frame.event === 'step_completed') {
    const { output_summary } = frame.payload;
    steps.set(id, { ...step, status: 'completed', output_summary, completed_at: frame.timestamp });
  } else if (frame.event === 'step_failed') {
    const { error } = frame.payload;
    steps.set(id, { ...step, status: 'failed', error, completed_at: frame.timestamp });
  }
}

const blank = { output_summary: {}, completed_at: null, error: null };

function isEnd({ event, payload }: ExecutionFrame): boolean {
  return event === 'run_failed' || (event === 'run_completed' && payload.status === 'completed');
}

/** What is known to come. Execution events tell only what has begun. */
function plannedSteps(tree: RunTree): readonly ExecutionStep[] {
  return [...tree.steps.values()]
    .filter(({ status }) => status === 'pending')
    .map(({ id, title, kind }) => ({
      ...blank,
      step_id: `s${id}`,
      step_name: title || kind,
      step_type: 'transform',
      status: 'pending',
      input_summary: {},
      metadata: {},
      started_at: null,
    }));
}
