import type { Json } from './values.ts';

/** What an agent left, and the way of remembering it was left for. */
export interface LeftState {
  readonly agent: string;
  readonly strategy: string;
  readonly state: Json;
}

/** The name a shared fact is kept under, beside the agents. */
export function factName(name: string): string {
  return `shared ${name}`;
}

/** All agents' states as one object, in the form the reference coordinator puts on its messages. */
export function combinedState(states: Iterable<LeftState>): Readonly<Record<string, Json>> {
  const combined = new Map<string, Json>();
  const others: [string, Json][] = [];
  const facts: [string, Json][] = [];
  for (const { agent, strategy, state } of states) {
    if (!isRecord(state) || strategy === 'stateless') continue;
    if (strategy === 'shared') facts.push([agent.slice(factName('').length), state['fact'] ?? null]);
    else {
      const keys = Object.entries(
        strategy === 'restore' ? { is_gpa: true, gpa_messages: state } : { ...state },
      );
      // The form has one place for each kind of agent; who comes second is kept by name.
      if (keys.some(([key]) => combined.has(key))) others.push([agent, state]);
      else for (const [key, value] of keys) combined.set(key, value);
    }
  }
  if (others.length > 0) combined.set('agents', Object.fromEntries(others));
  if (facts.length > 0) combined.set('shared_context', Object.fromEntries(facts));
  return Object.fromEntries(combined);
}

/** Under this name a combined state says which run it is of, and whose its places are. */
export const originKey = 'vitrine';

/** The run that a combined state says it is of. */
export function runIn(combined: Json | undefined): string | undefined {
  const origin = originIn(combined);
  return typeof origin['run'] === 'string' ? origin['run'] : undefined;
}

/** Whose the places of a combined state are, as far as it says. */
export function holdersIn(combined: Json): Readonly<Record<string, string>> {
  const { agents } = originIn(combined);
  if (!isRecord(agents)) return {};
  return Object.fromEntries(
    Object.entries(agents).flatMap(([place, agent]) => (typeof agent === 'string' ? [[place, agent]] : [])),
  );
}

function originIn(combined: Json | undefined): Fields {
  const origin = isRecord(combined) ? combined[originKey] : undefined;
  return isRecord(origin) ? origin : {};
}

/** Who it is of, for each place of the form that has no name in it. */
export function holdersOf(states: Iterable<LeftState>): Readonly<Record<string, string>> {
  const holders: Record<string, string> = {};
  for (const { agent, strategy } of states) {
    const place = placeOf(strategy);
    if (place !== undefined) holders[place] ??= agent;
  }
  return holders;
}

function placeOf(strategy: string): string | undefined {
  return { restore: 'gpa_messages', 'conversation-id': 'ums_conversation_id' }[strategy];
}

/**
 * The same the other way round: what each of these agents left. Where it does not say whose a place is, it is the first
 * agent's that remembers in that way.
 */
export function statesIn(
  combined: Json,
  agents: readonly Pick<LeftState, 'agent' | 'strategy'>[],
  holders: Readonly<Record<string, string>> = {},
): readonly LeftState[] {
  if (!isRecord(combined)) return [];
  const named = isRecord(combined['agents']) ? combined['agents'] : {};
  const left: LeftState[] = [];
  for (const { agent, strategy } of agents) {
    const place = placeOf(strategy);
    if (place === undefined) continue;
    const own = Object.hasOwn(named, agent) ? named[agent] : undefined;
    const holder = holders[place] ?? agents.find((each) => each.strategy === strategy)?.agent;
    const state = own ?? (holder === agent ? atPlace(combined, place) : undefined);
    if (state !== undefined) left.push({ agent, strategy, state });
  }
  const facts = isRecord(combined['shared_context']) ? Object.entries(combined['shared_context']) : [];
  for (const [name, fact] of facts) left.push({ agent: factName(name), strategy: 'shared', state: { fact } });
  return left;
}

function atPlace(combined: Fields, place: string): Json | undefined {
  const value = combined[place];
  if (value === undefined || value === null) return undefined;
  return place === 'gpa_messages' ? value : { [place]: value };
}

type Fields = Readonly<Record<string, Json>>;

function isRecord(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
