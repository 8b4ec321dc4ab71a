import type { Before, Node, Scope, Settled, StepOptions } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import type { Attachment } from '../../run/values.ts';
import { meaningOf } from '../../wire/sectioned-text.ts';
import type { Delegate } from './settings.ts';
import { delegatedText, type Finding } from './words.ts';
import { delegateOf, titleOf, type Cast } from '../delegates.ts';
import { circleOf, roundsOf, type PlannedTask, type RoutePlan } from '../plan.ts';

export interface Work {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly settings: Cast;
  readonly route: RoutePlan;
  /** How the step of a task looks, where it is not as agents do. */
  readonly look?: (task: PlannedTask) => Looks;
  /** How an agent is asked, in the step that is its own. */
  readonly ask: (scope: Scope, agent: Delegate, message: Asked) => Promise<string>;
}

export interface Asked {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Each task begins when those it needs are settled, and waits for nobody else. What came of each, as planned. */
export async function work(scope: Scope, given: Work): Promise<Finding[]> {
  const { settings, route } = given;
  const stuck = new Map(
    roundsOf(route.tasks).stuck.map((task) => [task.key, whyStuck(task, given)] as const),
  );
  for (const [key, why] of stuck) scope.notice('CIRCULAR_PLAN', `${nameOf(given, key)} is left out: ${why}`);
  const nodes = route.tasks.map((task): [string, Node<string>] => {
    const circle = stuck.get(task.key);
    return [task.key, circle === undefined ? nodeOf(task, given) : leftOut(task, given, circle)];
  });
  const settled = await scope.graph<Record<string, string>>(Object.fromEntries(nodes));
  return route.tasks.flatMap(({ key, agent }) => {
    const end = settled[key];
    return end ? findingOf(end, { agent, title: titleOf(settings, agent) }) : [];
  });
}

function nodeOf(task: PlannedTask, given: Work): Node<string> {
  const { text, attachments, settings, route, ask } = given;
  const title = titleOf(settings, task.agent);
  return {
    ...look(task, given),
    after: task.dependsOn,
    unless: (before) => whyNot(before, task, given),
    async run(scope, before) {
      const earlier = task.dependsOn.flatMap((key): Finding[] => {
        const end = before[key];
        return end ? [findingOf(end, { agent: '', title: nameOf(given, key) })] : [];
      });
      for (const name of task.lacks ?? [])
        earlier.push({ agent: '', title: name, text: '', failure: 'It was left out of the plan.' });
      const instructed = delegatedText(text, task.instructions, earlier);
      try {
        if (route.onFailure === 'ask') await expectConsent(scope, title, earlier);
        return await ask(scope, delegateOf(settings, task.agent), { text: instructed, attachments });
      } catch (thrown) {
        if (!(thrown instanceof RunError)) throw thrown;
        const what = thrown.failure.code === 'refused' ? 'was refused' : 'failed';
        scope.notice('AGENT_FAILED', `${title} ${what}: ${thrown.message}`);
        throw thrown;
      }
    },
  };
}

/** What cannot begin is settled from the start, so that nobody waits for it. */
function leftOut(task: PlannedTask, { settings, look: own }: Work, why: string): Node<string> {
  const { agent } = task;
  const title = titleOf(settings, agent);
  return { title, kind: 'agent', agent, ...own?.(task), unless: () => why, run: () => Promise.resolve('') };
}

/** Why a task is not begun: something it needs is missing, and nobody is to be asked about that or has said no. */
function whyNot(before: Before, { lacks = [] }: PlannedTask, given: Work): string | undefined {
  const { onFailure = 'continue' } = given.route;
  if (onFailure === 'continue') return undefined;
  const [left] = lacks;
  if (left !== undefined && onFailure === 'skip')
    return `it needs what ${left} was to find, which was left out of the plan.`;
  for (const [key, end] of Object.entries(before)) {
    const needs = `it needs what ${nameOf(given, key)} was to find`;
    if (end.outcome === 'skipped') return `${needs}, which was not asked.`;
    const isOpen = end.outcome === 'failed' && onFailure === 'ask' && end.failure.code !== 'refused';
    if (end.outcome === 'failed' && !isOpen) return `${needs}, which failed: ${end.failure.message}`;
  }
  return undefined;
}

async function expectConsent(scope: Scope, title: string, earlier: readonly Finding[]): Promise<void> {
  const failed = earlier.filter(({ failure }) => failure !== undefined);
  if (failed.length === 0) return;
  const names = failed.map((finding) => finding.title).join(' and ');
  const { decision, by, rationale } = await scope.ask({
    key: 'go on',
    title: `Go on with ${title}?`,
    message: `It was to work with what ${names} finds. ${failed.map((finding) => `${finding.title} failed: ${finding.failure}`).join(' ')}`,
    allowed: ['approve', 'reject', 'defer'],
  });
  const why = rationale === undefined ? '.' : `: ${rationale}`;
  if (decision !== 'approve')
    throw new RunError('refused', `${by} did not want to go on without ${names}${why}`);
}

function whyStuck(task: PlannedTask, given: Work): string {
  const { tasks } = given.route;
  const names = (keys: readonly string[]): string[] => keys.map((key) => nameOf(given, key));
  const circle = circleOf(task, tasks);
  if (circle.length > 0)
    return `it waits for itself (${names([...circle.map(({ key }) => key), task.key]).join(' → ')}).`;
  const stuck = roundsOf(tasks).stuck.map(({ key }) => key);
  const needed = task.dependsOn.filter((key) => stuck.includes(key));
  return `it waits for ${names(needed).join(' and ')}, which cannot begin.`;
}

function findingOf(end: Settled<unknown>, who: Pick<Finding, 'agent' | 'title'>): Finding {
  switch (end.outcome) {
    case 'completed':
      return { ...who, text: meaningOf(String(end.result)) };
    case 'failed': {
      const { code, message } = end.failure;
      return { ...who, text: '', failure: message, isDeclined: code === 'refused' };
    }
    case 'skipped':
      return { ...who, text: '', skipped: end.reason };
  }
}

function nameOf({ route, settings }: Work, key: string): string {
  const task = route.tasks.find((other) => other.key === key);
  return task ? titleOf(settings, task.agent) : key;
}

/** What is asked and why is shown with the step, before anybody answers. */
function look(task: PlannedTask, { text, settings, route, look: own }: Work): Looks {
  const { agent, instructions, reasoning } = task;
  const { icon } = delegateOf(settings, agent);
  const why = reasoning || route.reasoning;
  return {
    title: titleOf(settings, agent),
    kind: 'agent',
    agent,
    query: shortened(instructions || text),
    icon,
    reasoning: why || undefined,
    ...own?.(task),
  };
}

type Looks = Omit<StepOptions, 'key'>;

/** A long message is in the journal once: whoever wants all of it has the run's own. */
export function shortened(text: string): string {
  return text.length > longestQuery ? `${text.slice(0, longestQuery).toWellFormed()}…` : text;
}

const longestQuery = 2_000;
