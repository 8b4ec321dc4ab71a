import type { EventOf } from '../../run/events.ts';
import { isBlobRef, type Usage } from '../../run/values.ts';
import type { AgUiEvent, AgUiUsage } from '../../wire/ag-ui.ts';
import { untold } from '../speaker.ts';
import { silenced } from './part.ts';
import { lastWords } from './saying.ts';
import { patched, type AgUiScene, type AgUiStep } from './scene.ts';

/** What the run said last is its answer; another one is told. Nothing comes after the last event. */
export function ended(scene: AgUiScene, event: EventOf<'run.ended'>, run: AgUiStep): void {
  const { frames, memory } = scene;
  const { outcome, answer } = event;
  const end = { type: 'step.closed', step: 0, outcome } as const;
  frames.push(
    ...patched(memory, scene.at, true),
    ...lastWords(end, run),
    ...silenced({ part: run.own }, run.own.said),
  );
  const rest = untold(memory.spoken, answer);
  if (rest !== '') frames.push(...answered(memory.run, rest.toWellFormed()));
  frames.push({ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/status', value: outcome }] });
  frames.push(endOf(memory, event));
}

/** The last event of the last run of AG-UI. */
export function endOf(
  { run, thread }: { readonly run: string; readonly thread: string },
  { outcome, answer, failure, usage: used }: EventOf<'run.ended'>,
): AgUiEvent {
  const usage = usageOf(used);
  if (outcome === 'failed') {
    const message = failure?.message.toWellFormed() ?? 'The run failed.';
    return { type: 'RUN_ERROR', message, code: failure?.code, usage };
  }
  const place = { threadId: thread, runId: run };
  if (outcome === 'stopped') return { type: 'RUN_FINISHED', ...place, outcome: { type: 'cancelled' }, usage };
  const result = isBlobRef(answer) ? answer : answer?.toWellFormed();
  return { type: 'RUN_FINISHED', ...place, result, outcome: { type: 'success' }, usage };
}

function answered(run: string, delta: string): AgUiEvent[] {
  const messageId = `${run}-answer`;
  return [
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
    { type: 'TEXT_MESSAGE_END', messageId },
  ];
}

function usageOf({ input, output, cached, reasoning, models = [] }: Usage): AgUiUsage[] {
  const each = models.map(({ model, ...used }) => ({
    model,
    inputTokens: tokens(used.input),
    outputTokens: tokens(used.output),
  }));
  if (each.length > 0) return each;
  return [
    {
      inputTokens: tokens(input),
      outputTokens: tokens(output),
      reasoningTokens: reasoning === undefined ? undefined : tokens(reasoning),
      cachedInputTokens: cached === undefined ? undefined : tokens(cached),
    },
  ];
}

function tokens(count: number): number {
  return Math.min(Math.round(count), Number.MAX_SAFE_INTEGER);
}
