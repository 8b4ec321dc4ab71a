import type { Entry, EventOf, RunEvent, StepId } from './events.ts';
import { fold } from './entries.ts';
import { emptyTree, isFinal, type RunTree, present } from './tree.ts';
import type { BlobRef, Usage } from './values.ts';

/** What lists show of a run without reading its journal, beside how it stands. */
export interface Facts {
  readonly labels: Readonly<Record<string, string>>;
  /** The hash of what it was started to do, where that is data. */
  readonly definition?: string | undefined;
  /** Who worked on it, and what they used: as it was first met. */
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  /** Questions that it has asked, decided or not. */
  readonly asked: number;
  /** When it began and ended, in its own time, and what it used in all. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly tokens?: Pick<Usage, 'input' | 'output' | 'cost'> | undefined;
  /** Once it has ended: how many of its steps were given to somebody. */
  readonly delegated?: number | undefined;
  /** What it asks people, oldest first. One that lapsed with its step may still be among them: `approvals` says how many there are. */
  readonly open?: readonly OpenQuestion[] | undefined;
}

export interface OpenQuestion {
  readonly approval: string;
  /** The entry that asked it. */
  readonly seq: number;
  readonly deferredBy?: string | undefined;
}

/** What becomes of questions: of one, or of all that are open. */
export type QuestionNews =
  | { readonly is: 'asked'; readonly approval: string; readonly seq: number }
  | { readonly is: 'deferred'; readonly approval: string; readonly by: string }
  | { readonly is: 'returned'; readonly approval: string }
  | { readonly is: 'over'; readonly approval?: string };

/** What entries add to the index: what is shown of their run, and what it is found by. */
export interface Indexed {
  readonly facts: Facts;
  readonly terms: readonly string[];
  readonly questions?: readonly QuestionNews[] | undefined;
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
  question: (fingerprint: string): string => `q ${fingerprint}`,
  /** A label that says who began the run, and is right. */
  own: (name: string, who: string): string => `o ${JSON.stringify([name, who])}`,
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

/** What one entry adds, folded already; undefined for nearly all of them, so that text costs nothing here. */
export function indexed({ seq, at, event }: Entry, tree: Pick<RunTree, 'steps'>): Indexed | undefined {
  const add = adding[event.type] as Adding<RunEvent> | undefined;
  return add?.(event, { seq, at, tree });
}

interface Place {
  readonly seq: number;
  readonly at: number;
  readonly tree: Pick<RunTree, 'steps'>;
}
type Adding<Event> = (event: Event, place: Place) => Indexed;

const adding: { readonly [Type in RunEvent['type']]?: Adding<EventOf<Type>> } = {
  'run.started': ({ labels, who, input, guarded, history = [], definition }, { at }) => {
    const named = Object.entries(labels).flatMap(([name, value]) =>
      value === who ? [term.label(name, value), term.own(name, value)] : [term.label(name, value)],
    );
    const sent = Array.isArray(history) ? history.map(({ text }) => text) : [history];
    const words = [guarded ?? input.text, ...sent].flatMap(textTerms);
    const facts = { ...noFacts, labels, startedAt: at, ...present({ definition }) };
    return { facts, terms: [...new Set([...named, ...words])] };
  },
  'step.opened': ({ agent, call, title }) => {
    const agents = agent === undefined ? [] : [agent];
    const tools = call === undefined ? [] : [call.tool];
    const names = [...agents.map(term.agent), ...tools.map(term.tool)];
    return { facts: { ...noFacts, agents, tools }, terms: [...names, ...textTerms(title)] };
  },
  'approval.requested': ({ approval, title, fingerprint }, { seq }) => ({
    facts: { ...noFacts, asked: 1 },
    terms: [term.question(fingerprint), ...textTerms(title)],
    questions: [{ is: 'asked', approval, seq }],
  }),
  'approval.decided': ({ approval, by, decision }) =>
    news(isFinal(decision) ? { is: 'over', approval } : { is: 'deferred', approval, by }),
  'approval.returned': ({ approval }) => news({ is: 'returned', approval }),
  'approval.lapsed': ({ approval }) => news({ is: 'over', approval }),
  'stop.requested': () => news({ is: 'over' }),
  'run.ended': ({ answer = '', usage }, { at, tree }) => {
    const { input, output, cost } = usage;
    const tokens = { input, output, ...(cost === undefined ? {} : { cost }) };
    const facts = { ...noFacts, endedAt: at, tokens, delegated: delegatedIn(tree) };
    return { facts, terms: textTerms(answer), questions: [{ is: 'over' }] };
  },
};

function news(question: QuestionNews): Indexed {
  return { facts: noFacts, terms: [], questions: [question] };
}

/** What came first and what came after it, as if both had come at once. */
export function joinIndexed(one: Indexed | undefined, other: Indexed | undefined): Indexed | undefined {
  if (!one || !other) return one ?? other;
  return {
    facts: joinFacts(one.facts, other.facts),
    terms: [...new Set([...one.terms, ...other.terms])],
    questions: [...(one.questions ?? []), ...(other.questions ?? [])],
  };
}

/** The facts of a run with what its next entries add; the same object where that is nothing. */
export function addFacts(before: Facts, { facts, questions = [] }: Indexed): Facts {
  const joined = joinFacts(before, facts);
  const were = before.open ?? [];
  const open = questions.reduce(withNews, were);
  if (open === were || JSON.stringify(open) === JSON.stringify(were)) return joined;
  return { ...joined, open: open.length > 0 ? open : undefined };
}

/** The first itself where the other adds nothing. */
function joinFacts(one: Facts, other: Facts): Facts {
  if (other === noFacts || addsNothing(one, other)) return one;
  return {
    ...one,
    labels: { ...one.labels, ...other.labels },
    ...present({ definition: one.definition ?? other.definition }),
    agents: joinNames(one.agents, other.agents),
    tools: joinNames(one.tools, other.tools),
    asked: one.asked + other.asked,
    startedAt: one.startedAt ?? other.startedAt,
    endedAt: other.endedAt ?? one.endedAt,
    tokens: other.tokens ?? one.tokens,
    delegated: other.delegated ?? one.delegated,
  };
}

/** Nearly always it is that somebody was met again. */
function addsNothing(one: Facts, other: Facts): boolean {
  return (
    (other.endedAt ?? other.tokens ?? other.delegated) === undefined &&
    other.asked === 0 &&
    (other.startedAt === undefined || one.startedAt !== undefined) &&
    (other.definition === undefined || one.definition !== undefined) &&
    joinNames(one.agents, other.agents) === one.agents &&
    joinNames(one.tools, other.tools) === one.tools &&
    Object.entries(other.labels).every(([name, value]) => one.labels[name] === value)
  );
}

function withNews(open: readonly OpenQuestion[], news: QuestionNews): readonly OpenQuestion[] {
  const { is, approval } = news;
  if (is === 'asked') return [...open, { approval, seq: news.seq }];
  if (is === 'over') return open.filter((each) => approval !== undefined && each.approval !== approval);
  return open.map((each) => {
    if (each.approval !== approval) return each;
    const { deferredBy: _, ...asked } = each;
    return news.is === 'deferred' ? { ...asked, deferredBy: news.by } : asked;
  });
}

/** What entries add that follow those of the tree, which then has them. */
export function indexedAll(entries: readonly Entry[], tree: RunTree = emptyTree()): Indexed | undefined {
  return entries
    .map((entry) => {
      fold(tree, entry);
      return indexed(entry, tree);
    })
    .reduce(joinIndexed, undefined);
}

function joinNames(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length >= mostNames || other.every((name) => one.includes(name))) return one;
  return [...new Set([...one, ...other])].slice(0, mostNames);
}

/** So many characters of a text are looked at for words: more would hold up everybody, and has hardly a new one. */
const longestRead = 32_768;

/** Of what is kept beside the journal, the beginning that the journal has. */
function textTerms(text: string | BlobRef): readonly string[] {
  const read = typeof text === 'string' ? text.slice(0, longestRead) : (text.preview ?? '');
  return wordsOf(read).map(term.word);
}

/** Steps a flow makes of others, to put them in order, and its waits. */
const plain = new Set(['step', 'branch', 'route', 'registration', 'verdict', 'facts', 'wait']);

type Opening = Pick<EventOf<'step.opened'>, 'kind' | 'agent' | 'effect'>;

/** Whether a step is work that was given to somebody: by itself, and by who has the delegated step around it, if it is in one. */
export function isDelegated(
  { kind, agent, effect }: Opening,
  above: { readonly agent?: string | undefined } | undefined,
): boolean {
  if (kind === 'answer') return false;
  if (plain.has(kind)) return agent !== undefined;
  if (kind !== 'turn') return true;
  if (agent !== undefined && above?.agent === agent) return false;
  // A model is asked again without harm; whoever is not was delegated to.
  return effect !== undefined && effect !== 'pure';
}

/** How many steps of a run were. */
function delegatedIn({ steps }: Pick<RunTree, 'steps'>): number {
  const delegated = new Map<StepId, { readonly agent: string | undefined }>();
  for (const step of steps.values()) {
    const isOpened = step.id !== 0 && step.openedAt !== undefined;
    if (isOpened && isDelegated(step, delegated.get(step.parent)))
      delegated.set(step.id, { agent: step.agent ?? step.call?.tool });
  }
  return delegated.size;
}

/** The most words that are kept of one text, and the most characters of one word: an index must not outgrow what it finds. */
const mostWords = 200;
const longestWord = 40;

/** Scripts that put no spaces between words: any two neighbours are a word, so that whatever is part of a text is found. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/**
 * The words of a text, each once, as they are kept and looked for: this function cuts both, so a store only compares. Case,
 * accents and forms of a letter make no difference.
 */
export function wordsOf(text: string): readonly string[] {
  return /^[\x20-\x7e\n\r\t]*$/.test(text) ? plainWords(text) : anyWords(text);
}

/** Nearly all texts of programs, and most of people: no marks, no scripts, and nothing to normalize. */
function plainWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    words.add(word.length > longestWord ? word.slice(0, longestWord) : word);
    if (words.size >= mostWords) break;
  }
  return [...words];
}

function anyWords(text: string): readonly string[] {
  const plain = foldedText(text);
  const words = new Set<string>();
  for (const [piece] of plain.matchAll(/[\p{Letter}\p{Number}]+/gu)) {
    for (const word of cut(piece)) words.add(word);
    if (words.size >= mostWords) break;
  }
  return [...words].slice(0, mostWords);
}

/**
 * Without forms, marks and case. A letter may have several small forms, or none that is as long as its capital one: only through
 * both cases do «ß», «ẞ» and «SS», the two small sigmas, and «i» with and without its dot become the same.
 */
export function foldedText(text: string): string {
  const folded = text.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll(/\p{Mark}+/gu, '').replaceAll('ς', 'σ');
}

function cut(piece: string): readonly string[] {
  const spaced = piece.split(unspaced).filter((word) => word !== '');
  const pairs = [...piece.matchAll(unspaced)].flatMap(([run]) => neighbours(Array.from(run)));
  return [...spaced.map((word) => Array.from(word).slice(0, longestWord).join('')), ...pairs];
}

function neighbours(letters: readonly string[]): readonly string[] {
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, i) => `${letters[i] ?? ''}${letter}`);
}
