import type { FollowWish, Form } from '../../projections/door.ts';
import type { Telling, ViewOptions } from '../../projections/projection.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Framing, WireFrame } from '../../wire/framing.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import { breather } from '../../loop/machine.ts';
import type { Reply } from '../routes/route.ts';
import type { Sink } from '../viewers/viewer.ts';
import type { Protocol } from '../viewers/channels.ts';
import { longRun } from '../runs/long-run.ts';
import { missing } from '../runs/quotas.ts';
import type { Visitor } from './door-routes.ts';
import { decodeAll } from '../../run/entries.ts';

/** Which answer of a run, and what of it is known. */
export interface Answering {
  readonly answer: FollowWish['answer'];
  readonly after?: FollowWish['after'];
  readonly had?: FollowWish['had'];
}

interface Shown extends Answering {
  readonly form: Exclude<Form, 'none'>;
  readonly framing?: Framing;
  readonly options?: ViewOptions['options'];
}

/** An answer of a run, in the form that is wanted. */
export async function answered(visitor: Visitor, row: RunRow, shown: Shown): Promise<Reply> {
  const { context, protocol, asker } = visitor;
  const { answer, form } = shown;
  const isFirst = answer === 0 || protocol.ends === 'run';
  if (!isFirst) await asker.heavy(row.bytes);
  const begin = typeof answer === 'number' ? answer : isFirst ? 0 : await lastBegin(visitor, row);
  const wanted = shown.options ? { options: shown.options } : {};
  const options = { run: row.run, preferences: context.home.preferences(row.app), ...wanted };
  const isAll = answer === 'all' || answer === 'prelude';
  const view: ViewOptions = isAll && begin > 0 ? { ...options, joinedTo: begin } : options;
  const from = isAll ? 0 : begin;
  if (form !== 'stream') return blockOf(visitor, row, { form, from, begin, view });
  if (answer === 'prelude') return withPrelude(visitor, row, { ...shown, from: begin, view });
  return streamOf(visitor, row, { ...shown, from, begin, view });
}

interface Viewed {
  /** The entry it is told after. */
  readonly from: number;
  /** The entry after which its last part begins: where one ends before that, it goes on. */
  readonly begin: number;
  readonly view: ViewOptions;
}

function streamOf({ context, protocol }: Visitor, row: RunRow, shown: Shown & Viewed): Reply {
  const { name, headers, beat } = protocol;
  const { from, begin, view, after = { entry: from }, framing = protocol.framing } = shown;
  const telling = () => new ToldAnswer(protocol.telling(view), { begin, after: { frames: 0, ...after } });
  const cursor = Math.max(from, after.entry);
  const { run: _, ...shape } = view;
  const as = `answer ${name} ${JSON.stringify([begin, after, shape])}`;
  const watched = { run: row.run, head: row.head, as, telling };
  return {
    status: 200,
    headers,
    framing,
    ...(beat ? { beat: framing.text([beat(view)]) } : {}),
    stream: (sink) => void context.channels.watch(watched, sink, cursor),
  };
}

/** The run as it stands, and what comes after, up to where an answer ends. */
async function withPrelude(
  visitor: Visitor,
  row: RunRow,
  shown: Shown & Omit<Viewed, 'begin'>,
): Promise<Reply> {
  const { context, protocol } = visitor;
  const { framing = protocol.framing, view } = shown;
  const told = { ...shown, begin: shown.from };
  if (!protocol.prelude) return streamOf(visitor, row, { ...told, from: 0 });
  const tree = await context.trees.still(row, { preferences: view.preferences ?? {} });
  const isOver = (await restsAt(visitor, row)).has(tree.seq);
  const joining = { ...view, had: shown.had, isResting: isOver };
  const text = context.home.secrets.clean(framing.text(protocol.prelude(tree, joining)));
  const rest = streamOf(visitor, row, { ...told, after: { entry: tree.seq } });
  return {
    ...rest,
    stream(sink) {
      writeTo(sink, text);
      if (isOver) sink.end();
      else rest.stream?.(sink);
    },
  };
}

function writeTo(sink: Sink, text: string): void {
  if (text !== '') sink.write(sink.form(text));
}

interface Part {
  readonly begin: number;
  /** What the client has had: all up to an entry, and so many frames of the next. */
  readonly after: { readonly entry: number; readonly frames: number };
}

/** A run as far as an answer of the protocol goes: what follows is told in another. */
class ToldAnswer implements Telling<WireFrame> {
  readonly #telling: Telling<WireFrame>;
  readonly #part: Part;
  #isOver: boolean;

  constructor(telling: Telling<WireFrame>, part: Part, isOver = false) {
    this.#telling = telling;
    this.#part = part;
    this.#isOver = isOver;
  }

  get seq(): number {
    return this.#telling.seq;
  }

  get weight(): number {
    return this.#telling.weight;
  }

  get hasEnded(): boolean {
    return this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  tell(entry: Entry): readonly WireFrame[] {
    const { begin, after } = this.#part;
    const frames = this.#telling.tell(entry);
    if (this.#isOver) return [];
    this.#isOver = this.#telling.hasEnded || (this.#telling.isOver && entry.seq > begin);
    return entry.seq === after.entry + 1 ? frames.slice(after.frames) : frames;
  }

  fork(): ToldAnswer {
    return new ToldAnswer(this.#telling.fork(), this.#part, this.#isOver);
  }
}

async function blockOf(
  { context, caller, protocol }: Visitor,
  row: RunRow,
  { form, from, begin, view }: Viewed & { readonly form: Form },
): Promise<Reply> {
  const { block, name } = protocol;
  if (!block) throw new RunError('malformed', `«${name}» has no answers but streams.`);
  const entries = await entriesOf(context.home.journal, row, {
    until: restAfter(protocol, begin),
    isPatient: form === 'whole',
  });
  // It may have taken long: whoever may not look any more is told nothing.
  if (!context.door.mayStay(caller))
    throw new RunError('unauthenticated', 'The key that this was asked with is not valid any more.');
  return { status: 200, json: block(entries, from, view) };
}

/** An answer that was given, as far as it is there; undefined where there was none. */
export async function givenAnswer(visitor: Visitor, row: RunRow, begin: number): Promise<unknown> {
  const { context, protocol, asker } = visitor;
  await asker.heavy(row.bytes);
  if (!(await isBegin(visitor, row, begin))) return undefined;
  const until = restAfter(protocol, begin);
  const entries = await entriesOf(context.home.journal, row, { until, isPatient: false });
  const view = { run: row.run, preferences: context.home.preferences(row.app) };
  return protocol.block?.(entries, begin, view);
}

interface Reading {
  readonly until: (entry: Entry) => boolean;
  /** Whether to wait for what is not there yet. */
  readonly isPatient: boolean;
}

async function entriesOf(
  journal: Visitor['context']['home']['journal'],
  { run, head }: RunRow,
  { until, isPatient }: Reading,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const left = new AbortController();
  for await (const { frames } of journal.follow(run, 0, left.signal)) {
    for (const entry of decodeAll(frames)) {
      entries.push(entry);
      if (!until(entry) && (isPatient || entry.seq < head)) continue;
      left.abort();
      return entries;
    }
  }
  return entries;
}

/** Whether the answer that begins after an entry is over with another. */
function restAfter(protocol: Protocol, begin: number): (entry: Entry) => boolean {
  const rests = protocol.rests();
  return (entry) => rests(entry) && entry.seq > begin;
}

/** The entries with which answers of a run were over. */
async function restsAt({ context, protocol }: Visitor, row: RunRow): Promise<ReadonlySet<number>> {
  const { journal } = context.home;
  const rests = protocol.rests();
  const breathe = breather({ isLong: row.bytes > longRun });
  const found = new Set<number>();
  for (let seq = 0; seq < row.head;) {
    const before = seq;
    for (const { frames, last } of await goodChunks(journal, row.run, seq)) {
      for (const entry of decodeAll(frames)) if (rests(entry)) found.add(entry.seq);
      seq = last;
      await breathe();
    }
    if (seq === before) break;
  }
  return found;
}

/** The entry after which the last answer begins. */
async function lastBegin(visitor: Visitor, row: RunRow): Promise<number> {
  return beginBefore(await restsAt(visitor, row), row.head);
}

/** An answer begins where the one before it was over, and nowhere else. */
export async function expectBegin(visitor: Visitor, row: RunRow, begin: number): Promise<void> {
  if (begin === 0) return;
  await visitor.asker.heavy(row.bytes);
  if (await isBegin(visitor, row, begin)) return;
  throw missing('answer', `${row.run}.${begin}`);
}

async function isBegin(visitor: Visitor, row: RunRow, begin: number): Promise<boolean> {
  return begin === 0 || (begin < row.head && (await restsAt(visitor, row)).has(begin));
}

/** The entry after which the answer begins that has an entry. */
export async function beginOf(visitor: Visitor, row: RunRow, seq: number): Promise<number> {
  return beginBefore(await restsAt(visitor, row), seq);
}

function beginBefore(rests: ReadonlySet<number>, seq: number): number {
  return Math.max(0, ...[...rests].filter((each) => each < seq));
}
