import type { Flow, Scope } from '../engine/scope.ts';
import { RunError } from '../run/failure.ts';
import { bounded } from './bounded-history.ts';
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
  return { name, version: '1', run: (scope, { text }) => coordinateIn(scope, text, settings) };
}

/** The same within a step of another coordinator. */
async function coordinateIn(scope: Scope, text: string, settings: CoordinateSettings): Promise<string> {
  const route = await scope.step(
    { key: 'route', kind: 'route', title: 'Coordination', icon: 'compass', query: text },
    (inner) => chooseAgents(inner, text, settings),
  );
  scope.plan([
    ...route.tasks.map(({ key, agent }) => ({ key, title: titleOf(settings, agent), kind: 'agent' })),
    { key: 'answer', title: 'Answer', kind: 'answer' },
  ]);
  const findings = await work(scope, { text, settings, route });
  return scope.step({ key: 'answer', kind: 'answer', title: 'Answer', icon: 'pen' }, (inner) =>
    synthesize(inner, { text, settings, findings }),
  );
}

async function chooseAgents(scope: Scope, text: string, settings: CoordinateSettings): Promise<RoutePlan> {
  const names = settings.agents.map(({ name }) => name);
  const history = bounded(scope, await scope.history(), settings);
  const plan = await askRouter(scope, { text, settings, names, history });
  if (typeof plan !== 'string') {
    scope.say(explain(plan));
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

interface Work {
  readonly text: string;
  readonly settings: CoordinateSettings;
  readonly route: RoutePlan;
}

/** Rounds of agents that can work at once. One that fails takes nobody down with it. */
async function work(scope: Scope, { text, settings, route }: Work): Promise<Finding[]> {
  const found = new Map<string, Finding>();
  const { rounds, stuck } = roundsOf(route.tasks);
  for (const round of rounds) {
    const branches = Object.fromEntries(
      round.map((task) => [task.key, (branch: Scope) => handOver(branch, { text, settings, task, found })]),
    );
    const looks = Object.fromEntries(round.map((task) => [task.key, look(settings, task)]));
    const results = await scope.parallel<Record<string, Finding>>(branches, looks);
    for (const { key } of round) if (results[key]) found.set(key, results[key]);
  }
  for (const { key, agent } of stuck) {
    const failure = 'it depends on itself in a circle.';
    scope.notice('CIRCULAR_PLAN', `${titleOf(settings, agent)} was left out: ${failure}`);
    found.set(key, { agent, title: titleOf(settings, agent), text: '', failure });
  }
  return route.tasks.flatMap(({ key }) => found.get(key) ?? []);
}

interface HandOver {
  readonly text: string;
  readonly settings: CoordinateSettings;
  readonly task: PlannedTask;
  readonly found: ReadonlyMap<string, Finding>;
}

async function handOver(scope: Scope, { text, settings, task, found }: HandOver): Promise<Finding> {
  const agent = delegateOf(settings, task.agent);
  const title = titleOf(settings, task.agent);
  const earlier = task.dependsOn.flatMap((key) => found.get(key) ?? []);
  try {
    const message = delegatedText(text, task.instructions, earlier);
    const said = agent.team
      ? await coordinateIn(scope, message, agent.team)
      : await delegate(scope, agent, message);
    return { agent: agent.name, title, text: said };
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    scope.notice('AGENT_FAILED', `${title} failed: ${thrown.message}`);
    return { agent: agent.name, title, text: '', failure: thrown.message };
  }
}

interface Synthesis {
  readonly text: string;
  readonly settings: CoordinateSettings;
  readonly findings: readonly Finding[];
}

async function synthesize(scope: Scope, { text, settings, findings }: Synthesis): Promise<string> {
  try {
    const history = bounded(scope, await scope.history(), settings);
    const messages = synthesisMessages(text, findings, history);
    const { text: answer } = await scope.turn(settings.writer, { messages, answers: true, title: 'Writing' });
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

function look(settings: CoordinateSettings, { agent, instructions, reasoning }: PlannedTask) {
  const { icon } = delegateOf(settings, agent);
  return {
    title: titleOf(settings, agent),
    kind: 'agent',
    agent,
    ...(icon === undefined ? {} : { icon }),
    ...(instructions === '' ? {} : { query: instructions }),
    ...(reasoning === '' ? {} : { reasoning }),
  };
}

function explain({ strategy, tasks, reasoning }: RoutePlan): string {
  const names = tasks.map(({ agent }) => agent).join(strategy === 'parallel' ? ' and ' : ', then ');
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
