import type { Exchange, Flow, Scope } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import { bounded, boundedAloud, whatEnded, wholeOrMarked } from '../exchange.ts';
import { delegate } from './delegate.ts';
import type { CoordinateSettings } from './settings.ts';
import { plainAnswer, routerMessages, synthesisMessages, type Finding } from './words.ts';
import { shortened, work, type Asked } from './work.ts';
import { titleOf } from '../delegates.ts';
import { planFor, planSchema, roundsOf, type OnFailure, type RoutePlan } from '../plan.ts';
import { readPlan, type ReadPlan } from '../read-plan.ts';

/** Moves when runs that were recorded would not fit the code any more. */
export const coordinateVersion = '2';

/** A coordinator: chooses who works, shows what they do, and writes the answer. */
export function coordinate(settings: CoordinateSettings, name = 'coordinate'): Flow {
  return {
    name,
    version: coordinateVersion,
    run: (scope, asked) => coordinateIn(scope, asked, settings),
  };
}

/** The same within a step of another coordinator. */
async function coordinateIn(
  scope: Scope,
  { text, attachments }: Asked,
  settings: CoordinateSettings,
): Promise<string> {
  const route = await scope.step(
    { key: 'route', kind: 'route', title: 'Coordination', icon: 'compass', query: shortened(text) },
    (inner) => chooseAgents(inner, { text, attachments, settings, isOutermost: scope.id === 0 }),
  );
  scope.plan([
    ...route.tasks.map(({ key, agent }) => ({ key, title: titleOf(settings, agent), kind: 'agent' })),
    { key: 'answer', title: 'Answer', kind: 'answer' },
  ]);
  const findings = await work(scope, {
    text,
    attachments,
    settings,
    route,
    ask: (inner, agent, message) =>
      agent.team ? coordinateIn(inner, message, agent.team) : delegate(inner, agent, message),
  });
  if (findings.every(isBroken)) throw new RunError('unavailable', plainAnswer(findings));
  return scope.step({ key: 'answer', kind: 'answer', title: 'Answer', icon: 'pen' }, (inner) =>
    synthesize(inner, { text, settings, findings, answers: scope.id === 0 }),
  );
}

interface Choosing extends Asked {
  readonly settings: CoordinateSettings;
  /** What is left out of the history is left out everywhere, and said once. */
  readonly isOutermost: boolean;
}

async function chooseAgents(scope: Scope, choosing: Choosing): Promise<RoutePlan> {
  const { settings, isOutermost } = choosing;
  const { onFailure = 'skip', fallback } = settings;
  const all = await scope.history();
  const history = isOutermost ? boundedAloud(scope, all, settings) : bounded(all, settings);
  const asked = await askRouter(scope, choosing, history);
  const read = typeof asked === 'string' ? asked : (whyNobody(asked.plan, onFailure) ?? asked);
  if (typeof read === 'string') {
    scope.notice('ROUTING_FAILED', `${read} ${titleOf(settings, fallback)} takes the message.`);
    return { ...planFor(fallback, 'The router could not decide.'), onFailure };
  }
  for (const repair of read.repairs) scope.notice('PLAN_REPAIRED', repair);
  scope.say(explain(read.plan, settings));
  return { ...read.plan, onFailure };
}

/** Why nobody can begin, where all who wait for nobody need what somebody who was left out was to find. */
function whyNobody({ tasks }: RoutePlan, onFailure: OnFailure): string | undefined {
  const first = tasks.filter(({ dependsOn }) => dependsOn.length === 0);
  if (onFailure !== 'skip' || first.some(({ lacks = [] }) => lacks.length === 0)) return undefined;
  const missing = new Set(first.flatMap(({ lacks = [] }) => lacks));
  return `Nobody in the router's plan can begin without ${[...missing].join(' and ')}, which is not there.`;
}

async function askRouter(
  scope: Scope,
  { settings: { router, agents }, ...asked }: Choosing,
  history: readonly Exchange[],
): Promise<ReadPlan | string> {
  try {
    const { text: answer } = await scope.turn(router, {
      messages: routerMessages(asked, agents, history),
      answerSchema: planSchema(agents.map(({ name }) => name)),
      title: 'Routing',
    });
    return readPlan(answer, agents);
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    return thrown.message;
  }
}

/** Nothing came of it, and nobody wanted it so. */
function isBroken({ failure, isDeclined = false, skipped }: Finding): boolean {
  return skipped !== undefined || (failure !== undefined && !isDeclined);
}

interface Synthesis {
  readonly text: string;
  readonly settings: CoordinateSettings;
  readonly findings: readonly Finding[];
  /** Whether it is the answer of the run: the turn that is kept back is for that one alone. */
  readonly answers: boolean;
}

async function synthesize(scope: Scope, { text, settings, findings, answers }: Synthesis): Promise<string> {
  try {
    const history = bounded(await scope.history(), settings);
    const messages = synthesisMessages(text, findings, history);
    const turn = await scope.turn(settings.writer, { messages, answers, title: 'Writing' });
    if (turn.text.trim() !== '') return wholeOrMarked(turn.text, turn);
    const what = whatEnded(turn) ?? 'said nothing';
    scope.notice('SYNTHESIS_FAILED', `The writer ${what}; this is what the agents said.`);
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    scope.notice('SYNTHESIS_FAILED', `${thrown.message} This is what the agents said.`);
  }
  const plain = plainAnswer(findings);
  scope.say(plain);
  return plain;
}

/** Who works, as they are called on the screen; those who work at once are joined by «and». */
function explain({ tasks, reasoning }: RoutePlan, settings: CoordinateSettings): string {
  const rounds = roundsOf(tasks).rounds.map((round) =>
    round.map(({ agent }) => titleOf(settings, agent)).join(' and '),
  );
  const names = rounds.length === 0 ? 'Nobody' : rounds.join(', then ');
  return reasoning === '' ? `${names}.` : `${names}: ${reasoning}`;
}
