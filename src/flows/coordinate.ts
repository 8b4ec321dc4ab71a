import type { Flow, RunInput, Scope, StepOptions } from '../engine/scope.ts';
import { RunError } from '../run/failure.ts';
import { meaningOf } from '../wire/sectioned-text.ts';
import { bounded, fitting } from './bounded-history.ts';
import { delegate } from './coordinate-delegate.ts';
import type { CoordinateSettings, Delegate } from './coordinate-settings.ts';
import {
  delegatedText,
  plainAnswer,
  routerMessages,
  synthesisMessages,
  type Finding,
} from './coordinate-words.ts';
import { planFor, planSchema, readPlan, roundsOf, type PlannedTask, type RoutePlan } from './plan.ts';

/** A coordinator: chooses who works, shows what they do, and writes the answer. */
export function coordinate(settings: CoordinateSettings, name = 'coordinate'): Flow {
  return {
    name,
    version: '2',
    run: (scope, asked) => coordinateIn(scope, asked, settings),
  };
}

type Asked = Pick<RunInput, 'text' | 'attachments'>;

/** The same within a step of another coordinator. */
async function coordinateIn(
  scope: Scope,
  { text, attachments }: Asked,
  settings: CoordinateSettings,
): Promise<string> {
  const route = await scope.step(
    { key: 'route', kind: 'route', title: 'Coordination', icon: 'compass', query: shortened(text) },
    (inner) => chooseAgents(inner, text, settings),
  );
  scope.plan([
    ...route.tasks.map(({ key, agent }) => ({ key, title: titleOf(settings, agent), kind: 'agent' })),
    { key: 'answer', title: 'Answer', kind: 'answer' },
  ]);
  const findings = await work(scope, { text, attachments, settings, route });
  if (findings.every(isBroken)) throw new RunError('unavailable', plainAnswer(findings));
  return scope.step({ key: 'answer', kind: 'answer', title: 'Answer', icon: 'pen' }, (inner) =>
    synthesize(inner, { text, settings, findings, answers: scope.id === 0 }),
  );
}

async function chooseAgents(scope: Scope, text: string, settings: CoordinateSettings): Promise<RoutePlan> {
  const names = settings.agents.map(({ name }) => name);
  const history = bounded(scope, await scope.history(), settings);
  const plan = await askRouter(scope, { text, settings, names, history });
  if (typeof plan !== 'string') {
    scope.say(explain(plan, settings));
    return plan;
  }
  scope.notice('ROUTING_FAILED', `${plan} ${settings.fallback} takes the message.`);
  return planFor(settings.fallback, 'The router could not decide.');
}

interface Asking {
  readonly text: string;
  readonly settings: CoordinateSettings;
  readonly names: readonly string[];
  readonly history: Awaited<ReturnType<Scope['history']>>;
}

async function askRouter(
  scope: Scope,
  { text, settings, names, history }: Asking,
): Promise<RoutePlan | string> {
  try {
    const messages = routerMessages(text, settings.agents, history);
    const { text: answer } = await scope.turn(settings.router, {
      messages,
      answerSchema: planSchema(names),
      title: 'Routing',
    });
    return readPlan(answer, names);
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    return thrown.message;
  }
}

interface Work extends Asked {
  readonly settings: CoordinateSettings;
  readonly route: RoutePlan;
}

/** Rounds of agents that can work at once. One that fails takes nobody down with it. */
async function work(scope: Scope, { settings, route, ...asked }: Work): Promise<Finding[]> {
  const found = new Map<string, Finding>();
  const { rounds, stuck } = roundsOf(route.tasks);
  for (const round of rounds) {
    const handed = round.map((task) => handOver(scope, { ...asked, settings, route, task, found }));
    // In the order of the plan, whoever failed first: a recovery says the same in the same order.
    for (const [i, finding] of (await Promise.all(handed)).entries()) {
      found.set(round[i]?.key ?? '', finding);
      if (finding.failure === undefined) continue;
      scope.notice('AGENT_FAILED', `${finding.title} failed: ${finding.failure}`);
    }
  }
  for (const { key, agent } of stuck) {
    const failure = 'it depends on itself in a circle.';
    scope.notice('CIRCULAR_PLAN', `${titleOf(settings, agent)} was left out: ${failure}`);
    found.set(key, { agent, title: titleOf(settings, agent), text: '', failure });
  }
  return route.tasks.flatMap(({ key }) => found.get(key) ?? []);
}

interface HandOver extends Work {
  readonly task: PlannedTask;
  readonly found: ReadonlyMap<string, Finding>;
}

/** The step of an agent ends as its work does, so that everyone sees which one failed. */
async function handOver(scope: Scope, handed: HandOver): Promise<Finding> {
  const { text, attachments, settings, task, found } = handed;
  const agent = delegateOf(settings, task.agent);
  const title = titleOf(settings, task.agent);
  const earlier = task.dependsOn.flatMap((key) => found.get(key) ?? []);
  const message = { text: delegatedText(text, task.instructions, earlier), attachments };
  try {
    const said = await scope.step({ key: task.key, ...look(handed) }, (inner) =>
      agent.team ? coordinateIn(inner, message, agent.team) : delegate(inner, agent, message),
    );
    return { agent: agent.name, title, text: meaningOf(said) };
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    const { code, message } = thrown.failure;
    const isDeclined = code === 'refused';
    return { agent: agent.name, title, text: '', failure: message, isDeclined };
  }
}

/** Nothing came of it, and nobody wanted it so. */
function isBroken({ failure, isDeclined = false }: Finding): boolean {
  return failure !== undefined && !isDeclined;
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
    const history = fitting(await scope.history(), settings);
    const messages = synthesisMessages(text, findings, history);
    const { text: answer } = await scope.turn(settings.writer, { messages, answers, title: 'Writing' });
    if (answer.trim() !== '') return answer;
    scope.notice('SYNTHESIS_FAILED', 'The writer said nothing; this is what the agents said.');
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    scope.notice('SYNTHESIS_FAILED', `${thrown.message} This is what the agents said.`);
  }
  const plain = plainAnswer(findings);
  scope.say(plain);
  return plain;
}

/** A long message is in the journal once: whoever wants all of it has the run's own. */
function shortened(text: string): string {
  return text.length > longestQuery ? `${text.slice(0, longestQuery).toWellFormed()}…` : text;
}

const longestQuery = 2_000;

/** What is asked and why is shown with the step, before anybody answers. */
function look({ text, settings, route, task }: HandOver): Omit<StepOptions, 'key'> {
  const { agent, instructions } = task;
  const { icon } = delegateOf(settings, agent);
  const reasoning = task.reasoning || route.reasoning;
  return {
    title: titleOf(settings, agent),
    kind: 'agent',
    agent,
    query: shortened(instructions || text),
    ...(icon === undefined ? {} : { icon }),
    ...(reasoning === '' ? {} : { reasoning }),
  };
}

/** Who works, as they are called on the screen; those who work at once are joined by «and». */
function explain({ tasks, reasoning }: RoutePlan, settings: CoordinateSettings): string {
  const rounds = roundsOf(tasks).rounds.map((round) =>
    round.map(({ agent }) => titleOf(settings, agent)).join(' and '),
  );
  const names = rounds.join(', then ');
  return reasoning === '' ? `${names}.` : `${names}: ${reasoning}`;
}

function delegateOf({ agents, fallback }: CoordinateSettings, name: string): Delegate {
  const found =
    agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.name === fallback);
  if (!found)
    throw new RunError(
      'malformed',
      `The coordinator has no agent «${name}»; name its fallback among its agents.`,
    );
  return found;
}

function titleOf(settings: CoordinateSettings, name: string): string {
  return delegateOf(settings, name).title ?? name;
}
