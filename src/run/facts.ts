import type { Entry } from './events.ts';
import type { BlobRef } from './values.ts';
import { wordsOf } from './words.ts';

/** What lists show of a run without reading its journal, beside how it stands. */
export interface Facts {
  readonly labels: Readonly<Record<string, string>>;
  /** Who worked on it, and what they used: as it was first met. */
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  /** Questions that it has asked, decided or not. */
  readonly asked: number;
  /** When it began and ended, in its own time, and what it used in all. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly tokens?: { readonly input: number; readonly output: number } | undefined;
}

/** What entries add to the index: what is shown of their run, and what it is found by. */
export interface Indexed {
  readonly facts: Facts;
  readonly terms: readonly string[];
}

export const noFacts: Facts = { labels: {}, agents: [], tools: [], asked: 0 };

/** The most names that are kept of either kind. */
const mostNames = 100;

/** Names that runs are found by. Whoever looks for one makes it in the same way. */
export const term = {
  word: (word: string): string => `w ${word}`,
  label: (name: string, value: string): string => `l ${JSON.stringify([name, value])}`,
  agent: (agent: string): string => `a ${JSON.stringify(agent)}`,
  tool: (tool: string): string => `t ${JSON.stringify(tool)}`,
};

/** What somebody looks for, as the terms it is found by. */
export interface Sought {
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  /** Each as `name=value`. */
  readonly labels?: readonly string[];
  readonly text?: string | undefined;
}

export function termsFor({ agent, tool, labels = [], text = '' }: Sought): readonly string[] {
  return [
    ...(agent === undefined ? [] : [term.agent(agent)]),
    ...(tool === undefined ? [] : [term.tool(tool)]),
    ...labels.map((label) =>
      term.label(label.slice(0, label.indexOf('=')), label.slice(label.indexOf('=') + 1)),
    ),
    ...wordsOf(text).map(term.word),
  ];
}

/** What one entry adds; undefined for nearly all of them, so that text costs nothing here. */
export function indexed({ at, event }: Entry): Indexed | undefined {
  if (event.type === 'run.started') {
    const { labels, input } = event;
    const named = Object.entries(labels).map(([name, value]) => term.label(name, value));
    return { facts: { ...noFacts, labels, startedAt: at }, terms: [...named, ...textTerms(input.text)] };
  }
  if (event.type === 'step.opened') {
    const { agent, call, title } = event;
    const agents = agent === undefined ? [] : [agent];
    const tools = call === undefined ? [] : [call.tool];
    const names = [...agents.map(term.agent), ...tools.map(term.tool)];
    return { facts: { ...noFacts, agents, tools }, terms: [...names, ...textTerms(title)] };
  }
  if (event.type === 'approval.requested')
    return { facts: { ...noFacts, asked: 1 }, terms: textTerms(event.title) };
  if (event.type === 'run.ended') {
    const { answer = '', usage } = event;
    const tokens = { input: usage.input, output: usage.output };
    return { facts: { ...noFacts, endedAt: at, tokens }, terms: textTerms(answer) };
  }
  return undefined;
}

/** What came first and what came after it, as if both had come at once. */
export function joinIndexed(one: Indexed | undefined, other: Indexed | undefined): Indexed | undefined {
  if (!one || !other) return one ?? other;
  return {
    facts: joinFacts(one.facts, other.facts),
    terms: [...new Set([...one.terms, ...other.terms])],
  };
}

/** The first itself where the other adds nothing. */
export function joinFacts(one: Facts, other: Facts): Facts {
  if (other === noFacts) return one;
  const joined = {
    labels: { ...one.labels, ...other.labels },
    agents: joinNames(one.agents, other.agents),
    tools: joinNames(one.tools, other.tools),
    asked: one.asked + other.asked,
    startedAt: one.startedAt ?? other.startedAt,
    endedAt: other.endedAt ?? one.endedAt,
    tokens: other.tokens ?? one.tokens,
  };
  return isSame(joined, one) ? one : joined;
}

function isSame(joined: Facts, one: Facts): boolean {
  return (
    joined.agents === one.agents &&
    joined.tools === one.tools &&
    joined.asked === one.asked &&
    joined.startedAt === one.startedAt &&
    joined.endedAt === one.endedAt &&
    joined.tokens === one.tokens &&
    JSON.stringify(joined.labels) === JSON.stringify(one.labels)
  );
}

export function indexedAll(entries: readonly Entry[]): Indexed | undefined {
  return entries.map(indexed).reduce(joinIndexed, undefined);
}

function joinNames(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length >= mostNames || other.every((name) => one.includes(name))) return one;
  return [...new Set([...one, ...other])].slice(0, mostNames);
}

/** Of what is kept beside the journal, the beginning that the journal has. */
function textTerms(text: string | BlobRef): readonly string[] {
  return wordsOf(typeof text === 'string' ? text : (text.preview ?? '')).map(term.word);
}
