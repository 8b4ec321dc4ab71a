// What the official AG-UI client must have made of a run, worked out from the tree alone.
import type { Message } from '@ag-ui/client';
import type { Entry } from '../../src/run/events.ts';
import { foldAll } from '../../src/run/entries.ts';
import { stepOf, textOf, undecidedApprovals, type RunTree, type Step } from '../../src/run/tree.ts';
import { questionId } from '../../src/run/question-id.ts';
import type { Heard } from './ag-ui-client.ts';

/** How a run stands, in the client and in the tree. */
export interface Standing {
  readonly texts: unknown;
  /** Whether what the run ends with was said. */
  readonly answer: unknown;
  readonly thoughts: unknown;
  readonly calls: unknown;
  readonly steps: unknown;
  readonly status: unknown;
  readonly interrupts: unknown;
  /** What else it is told, by name. */
  readonly news: unknown;
}

/** Of all that counts: what earlier attempts said is not taken back, and says so itself. */
export function standingOf(entries: readonly Entry[], run: string): Standing {
  const tree = foldAll(entries);
  const counting = [...tree.steps.values()].filter(
    (step) => step.openedAt !== undefined && counts(tree, step),
  );
  const spoken = [stepOf(tree, 0), ...counting].filter((step) => !isSilent(tree, step));
  return {
    texts: saidIn(spoken, run, 'content'),
    answer: true,
    thoughts: saidIn([stepOf(tree, 0), ...counting], run, 'reasoning'),
    calls: Object.fromEntries(
      counting
        .filter(({ kind }) => kind === 'call')
        .map((step) => [idOf(run, step), [JSON.stringify(step.call?.arguments ?? {}), step.status]]),
    ),
    steps: Object.fromEntries(
      [...tree.steps.values()]
        .filter(({ id, openedAt }) => id !== 0 && openedAt !== undefined)
        .map(({ id, parent, kind, status }) => [
          `s${id}`,
          [parent === 0 ? undefined : `s${parent}`, kind, status],
        ]),
    ),
    status: tree.ended?.outcome ?? (tree.stopping ? 'stopping' : tree.paused ? 'paused' : 'running'),
    interrupts: tree.ended ? [] : undecidedApprovals(tree).map(questionId),
    news: entries.flatMap(({ event }) => newsOf(event)),
  };
}

interface Told {
  readonly run: string;
  readonly entries: readonly Entry[];
}

/** The same of what a client has, as far as it is about this run and counts there. */
export function clientStanding(
  { messages, state, interrupts, order }: Heard,
  { run, entries }: Told,
): Standing {
  const ids = (role: Message['role']) => messages.filter((message) => message.role === role);
  const texts = ids('assistant').filter(({ id, content }) => id !== `${run}-answer` && content !== undefined);
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message]] : [])),
  );
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  );
  const [activity] = messages.filter((message) => message.id === `${run}-steps`);
  const { steps = {} } = (activity?.content ?? {}) as { steps?: Record<string, Record<string, unknown>> };
  const { status } = state as { status?: string };
  return {
    texts: Object.fromEntries(texts.map(({ id, content }) => [id, content])),
    answer: hasSaid(messages, foldAll(entries)),
    thoughts: Object.fromEntries(ids('reasoning').map(({ id, content }) => [id, content])),
    calls: Object.fromEntries(
      calls.map((call) => [call.id, [call.function.arguments, results.get(call.id)?.metadata?.['status']]]),
    ),
    steps: Object.fromEntries(
      Object.entries(steps).map(([name, step]) => [name, [step['parent'], step['kind'], step['status']]]),
    ),
    status,
    interrupts: interrupts.map(({ id }) => id),
    news: order.flatMap((told) => (told.startsWith('CUSTOM ') ? [nameIn(told)] : [])),
  };
}

/** Whether the answer is among what the run itself said: what is said inside an agent carries its name. */
function hasSaid(messages: readonly Message[], tree: RunTree): boolean {
  const answer = answerOf(tree);
  const kept = tree.ended?.answer;
  // Of what is large only its size is known: what was said and is as long is it.
  const size = typeof kept === 'object' ? kept.size : undefined;
  const isIt = (content: unknown): boolean =>
    typeof content === 'string' && (content.trim() === answer || Buffer.byteLength(content) === size);
  const own = messages.filter(
    (message) => message.role === 'assistant' && message.subagentRunId === undefined,
  );
  return answer === '' || own.some(({ content }) => isIt(content));
}

function answerOf({ ended }: RunTree): string {
  const { answer = '' } = ended ?? {};
  if (ended?.outcome === 'failed') return '';
  if (typeof answer === 'string') return answer.toWellFormed().trim();
  const { preview = '', size, blob } = answer;
  return `${preview}… (${size} bytes in all: GET /api/files/${blob})`.toWellFormed().trim();
}

function nameIn(told: string): unknown {
  return (JSON.parse(told.slice('CUSTOM '.length)) as { name?: unknown }).name;
}

function newsOf(event: Entry['event']): string[] {
  if (event.type === 'item.attached') return [event.item.kind];
  if (event.type === 'worker.took') return event.reason === 'recovered' ? ['notice'] : [];
  return event.type in news ? [news[event.type as keyof typeof news]] : [];
}

/** What else is told, by the kinds of events. */
const news = {
  'notice.posted': 'notice',
  unknown: 'notice',
  'phase.entered': 'phase',
  'approval.decided': 'decision',
  'approval.lapsed': 'decision',
  'approval.returned': 'decision',
  'message.queued': 'message',
} as const;

/** What is told in vain, or not to its end: what is told twice in a row, and what was started and not finished. */
export function loose({ order }: Heard): string[] {
  const twice = order.filter(
    (told, i) => told === order[i + 1] && !/_CONTENT |^CUSTOM |\/detail"/.test(told),
  );
  const open = new Set<string>();
  for (const told of order) {
    const [, what = '', how = '', id = ''] = pairs.exec(told) ?? [];
    if (how === 'STARTED' || how === 'START') open.add(`${what} ${id}`);
    else if (how !== '') open.delete(`${what} ${id}`);
  }
  const count = (type: string) => order.filter((told) => told.startsWith(`${type} `)).length;
  const begun = ['STATE_SNAPSHOT', 'ACTIVITY_SNAPSHOT'].filter(
    (type) => count(type) !== count('RUN_STARTED'),
  );
  return [...twice, ...open, ...begun];
}

const pairs =
  /^(STEP|SUBAGENT|TEXT_MESSAGE|REASONING_MESSAGE|REASONING|TOOL_CALL)_(STARTED|FINISHED|START|END|ERROR) .*?"(?:stepName|subagentRunId|messageId|toolCallId)":"((?:[^"\\]|\\.)*)"/;

/** Only what counts: attempts that were superseded are gone from the tree. */
export function onlyCounting(standing: Standing, by: Standing): Standing {
  const within = (given: unknown, wanted: unknown): unknown =>
    Object.fromEntries(Object.entries(given as object).filter(([name]) => name in (wanted as object)));
  return {
    ...standing,
    texts: within(standing.texts, by.texts),
    thoughts: within(standing.thoughts, by.thoughts),
    calls: within(standing.calls, by.calls),
  };
}

function saidIn(
  steps: readonly Step[],
  run: string,
  channel: 'content' | 'reasoning',
): Record<string, string> {
  const more = channel === 'content' ? '' : '-reasoning';
  const said = steps.map(
    (step) => [`${idOf(run, step)}${more}`, textOf(step, channel).toWellFormed()] as const,
  );
  return Object.fromEntries(said.filter(([, given]) => given !== ''));
}

function idOf(run: string, { id, attempt }: Step): string {
  return attempt === 1 ? `${run}-s${id}` : `${run}-s${id}.${attempt}`;
}

function isSilent(tree: RunTree, step: Step): boolean {
  if (step.id === 0) return false;
  if (step.kind === 'route' || step.kind === 'verdict') return true;
  return step.kind !== 'agent' && isSilent(tree, stepOf(tree, step.parent));
}

function counts(tree: RunTree, step: Step): boolean {
  if (step.id === 0) return true;
  const above = stepOf(tree, step.parent);
  return !above.superseded.includes(step.id) && counts(tree, above);
}
