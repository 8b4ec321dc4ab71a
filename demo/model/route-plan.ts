import type { Situation } from './situation.ts';
import { isFollowUp, linkIn, othersCan, topics, type Topic } from './topics.ts';
import { overlap, stems } from './words.ts';

export interface AgentCard {
  readonly name: string;
  readonly description: string;
}

export interface Task {
  readonly agent: string;
  readonly instructions?: string;
  readonly why: string;
  /** Places of the tasks it waits for. */
  readonly after: readonly number[];
}

export interface RoutePlan {
  readonly strategy: 'single' | 'sequential' | 'parallel' | 'hybrid';
  readonly why: string;
  readonly tasks: readonly Task[];
}

/** Who works on the last message, decided by its words and by what each agent says of itself. */
export function planFor({ question, earlier }: Situation, agents: readonly AgentCard[]): RoutePlan {
  const wanted = wantedBy(question, agents);
  if (wanted.length > 0) return planOf(wanted, question);
  if (isFollowUp(question)) {
    for (const { question: before } of earlier.toReversed()) {
      const [again] = wantedBy(before, agents);
      if (again) return singlePlan(again.agent, `“${question}” goes on with “${before}”`);
      if (!isFollowUp(before)) break;
    }
  }
  const rest = generalist(question, agents);
  return singlePlan(rest, 'no other agent promises anything for this message', whatOthersCan(rest, agents));
}

/** Whether somebody promises something for a message, or it goes on with one that somebody did. */
export function wantsAnybody({ question, earlier }: Situation, agents: readonly AgentCard[]): boolean {
  if (wantedBy(question, agents).length > 0) return true;
  return isFollowUp(question) && earlier.some((exchange) => wantedBy(exchange.question, agents).length > 0);
}

interface Wanted {
  readonly topic: Topic;
  readonly agent: string;
  readonly word: string;
}

/** The topics a message asks for, each with the agent that serves it best. */
function wantedBy(message: string, agents: readonly AgentCard[]): Wanted[] {
  const beside = topicsOfLink(message);
  const found = topics.flatMap((topic): Wanted[] => {
    const word = topic.asks.exec(message)?.[0] ?? (beside.includes(topic.name) ? linkIn(message) : undefined);
    const agent = word === undefined ? undefined : bestFor(topic, message, agents);
    return word === undefined || agent === undefined ? [] : [{ topic, agent, word }];
  });
  const first = found.filter(({ topic }) => !topic.isLast);
  return onePerAgent(first.length > 0 ? first : found);
}

/** Who asks what hangs on a link also wants to see how it does; who only names one wants to know all about it. */
function topicsOfLink(message: string): string[] {
  if (linkIn(message) === undefined) return [];
  const said = topics.filter(({ asks, isLast }) => !isLast && asks.test(message)).map(({ name }) => name);
  if (said.length === 0) return ['topology', 'telemetry'];
  return said.includes('topology') ? ['telemetry'] : [];
}

function bestFor({ serves }: Topic, message: string, agents: readonly AgentCard[]): string | undefined {
  const rated = agents.map(({ name, description }) => {
    const promise = `${name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')} ${description}`;
    const promises = promise.match(serves)?.length ?? 0;
    return { name, rating: promises === 0 ? 0 : promises + overlap(stems(message), promise) / 10 };
  });
  const best = rated.reduce((one, other) => (other.rating > one.rating ? other : one), {
    name: '',
    rating: 0,
  });
  return best.rating > 0 ? best.name : undefined;
}

function onePerAgent(wanted: readonly Wanted[]): Wanted[] {
  return wanted.filter(({ agent }, i) => wanted.findIndex((other) => other.agent === agent) === i);
}

function planOf(wanted: readonly Wanted[], message: string): RoutePlan {
  const [only] = wanted;
  if (wanted.length === 1 && only)
    return singlePlan(only.agent, `the message is about ${only.topic.name} (“${only.word}”)`);
  const isOrdered = /\b(?:then|after that|afterwards|finally)\b/i.test(message);
  const inOrder = isOrdered
    ? wanted.toSorted((one, other) => message.search(one.topic.asks) - message.search(other.topic.asks))
    : wanted;
  const tasks = inOrder.map(({ topic, agent, word }, i): Task => {
    const needed = inOrder.flatMap((other, j) =>
      topic.after?.includes(other.topic.name) && j < i ? [j] : [],
    );
    const instructions = topic.instructions?.(message);
    return {
      agent,
      ...(instructions === undefined ? {} : { instructions }),
      why: `“${word}” is about ${topic.name}.`,
      after: isOrdered && i > 0 ? [i - 1] : needed,
    };
  });
  const why = `the message is about ${inOrder.map(({ topic }) => topic.name).join(', ')}`;
  return { strategy: strategyOf(tasks), why, tasks };
}

function strategyOf(tasks: readonly Task[]): RoutePlan['strategy'] {
  if (tasks.every(({ after }) => after.length === 0)) return 'parallel';
  const isChain = tasks.every(({ after }, i) =>
    i === 0 ? after.length === 0 : after.includes(i - 1) && after.length === 1,
  );
  return isChain ? 'sequential' : 'hybrid';
}

function singlePlan(agent: string, why: string, instructions?: string): RoutePlan {
  const task = { agent, why, after: [], ...(instructions === undefined ? {} : { instructions }) };
  return { strategy: 'single', why, tasks: [task] };
}

/** For whoever must say that nothing fits. */
function whatOthersCan(agent: string, agents: readonly AgentCard[]): string | undefined {
  const examples = topics.flatMap((topic) => {
    const best = bestFor(topic, topic.example, agents);
    return best === undefined || best === agent ? [] : [`- ${topic.example}`];
  });
  return examples.length === 0 ? undefined : `${othersCan}\n${examples.join('\n')}`;
}

/** Whoever takes what nobody else does; if none says so, whoever shares most words with the message. */
function generalist(message: string, agents: readonly AgentCard[]): string {
  const general = agents.find(({ name, description }) =>
    /\b(?:general|anything|everything|default)\b/i.test(`${name} ${description}`),
  );
  if (general) return general.name;
  const wanted = stems(message);
  return (
    agents.toSorted((one, other) => overlap(wanted, other.description) - overlap(wanted, one.description))[0]
      ?.name ?? ''
  );
}
