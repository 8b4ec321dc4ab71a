// A graph that is played to its end in the simulation, undisturbed, or taken over after the first of its records by a worker that has nothing else.
import { expect } from 'vitest';
import type { Catalog } from '../../src/engine/world.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll, decodeAll, encodeAll } from '../../src/run/entries.ts';
import { undecidedApprovals, type RunTree } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import type { Chance } from '../random.ts';
import { Stage } from '../stage.ts';
import { calm } from '../virtual-clock.ts';
import { commandFor, type Decide } from './decided.ts';
import { runOf } from './world.ts';

/** Effects by their key: the same key twice is one effect. */
export type Ledger = Map<string, string>;

export type TellEffect = (key: string, effect: string) => void | Promise<void>;

export interface Play {
  readonly graph: { readonly name: string };
  /** Graphs that it calls. */
  readonly others?: readonly { readonly name: string }[];
  readonly data: Json;
  readonly decide: Decide;
  readonly catalog: (tell: TellEffect) => Catalog;
  /** Whose turn it is, where several may be decided, and who decides again. */
  readonly chance: Chance;
}

export interface Decisions {
  /** Not the question that was asked first, decided once more, decided after the end. */
  readonly seen: { apart: number; twice: number; late: number };
}

export interface TakenOver {
  readonly tree: RunTree;
  readonly ledger: Ledger;
  readonly problems: Stage['problems'];
}

export interface Whole extends TakenOver {
  readonly run: string;
  readonly entries: readonly Entry[];
}

/** The whole run, undisturbed. */
export async function played(play: Play, { seen }: Decisions): Promise<Whole> {
  const { stage, wanted, hire, flow, ledger } = await staged(play);
  const run = await stage.start(hire(), flow, wanted);
  const tree = await toTheEnd({ stage, run, play, seen });
  expect(stage.problems).toEqual([]);
  return { run, tree, ledger, problems: stage.problems, entries: await stage.entries(run) };
}

/** The same, taken over after these records: what is committed together depends on time, so any of them may be the last. */
export async function recovered(
  play: Play,
  { run, entries }: Pick<Whole, 'run' | 'entries'>,
  { seen }: Decisions,
): Promise<TakenOver> {
  const { stage, wanted, hire, ledger } = await staged(play);
  const last = entries.at(-1);
  await stage.clock.pass((last?.at ?? 0) - stage.clock.now());
  await stage.store.dispatch.create({
    run,
    tenant: 'local',
    conversation: 'c',
    app: 'test',
    title: 'again',
    flow: 'workflow@1',
    last: last?.seq ?? 0,
    frames: encodeAll(entries),
    definition: wanted.definition.hash,
  });
  hire();
  return { tree: await toTheEnd({ stage, run, play, seen }), ledger, problems: stage.problems };
}

async function staged({ graph, others = [], data, catalog }: Play) {
  const stage = new Stage();
  const ledger: Ledger = new Map();
  for (const other of others) await runOf(stage.store, other);
  const all = catalog((key, effect) => void ledger.set(key, effect));
  const [flow] = all.flows;
  if (!flow) throw new Error('there is no flow');
  const wanted = { ...(await runOf(stage.store, graph)), flow, input: { text: '', data } };
  return { stage, wanted, flow, ledger, hire: () => stage.hire(all) };
}

interface Playing extends Decisions {
  readonly stage: Stage;
  readonly run: string;
  readonly play: Play;
}

/** Decides what is asked, one of them at a time, and lets time pass where nobody is, until the run has ended. */
async function toTheEnd(playing: Playing): Promise<RunTree> {
  const { stage, run, play, seen } = playing;
  const { decide, chance } = play;
  const decided: string[] = [];
  const tree = foldAll([]);
  for (let rounds = 0; rounds < 400; rounds += 1) {
    await caughtUp(playing, tree);
    if (tree.ended) return decidedLate(playing, tree, decided);
    if (tree.paused) throw new Error(`paused: ${tree.notices.at(-1)?.message}`);
    const commands = undecidedApprovals(tree).flatMap((one) => commandFor(decide, one) ?? []);
    if (commands.length === 0) {
      await stage.clock.pass(31_000);
      continue;
    }
    const command = chance.pick(commands);
    if (command !== commands[0]) seen.apart += 1;
    await stage.send(run, command);
    decided.push(command.approval);
    if (chance.next() < 0.5 || (await caughtUp(playing, tree)).ended) continue;
    seen.twice += 1;
    await stage.decide(run, { approval: chance.pick(decided), decision: chance.pick(['approve', 'reject']) });
  }
  throw new Error('the run does not end');
}

/** The tree with what was recorded since: to fold all of it anew each time took a fifth of a sweep. */
async function caughtUp({ stage, run }: Playing, tree: RunTree): Promise<RunTree> {
  await calm();
  for (;;) {
    const chunks = await stage.store.journal.read(run, tree.seq);
    if (chunks.length === 0) return tree;
    for (const { frames } of chunks) foldAll(decodeAll(frames), tree);
  }
}

/** Whoever decides what is over changes nothing of it. */
async function decidedLate(
  { stage, run, seen }: Playing,
  tree: RunTree,
  decided: readonly string[],
): Promise<RunTree> {
  const [approval] = decided;
  if (approval === undefined) return tree;
  seen.late += 1;
  await expect(stage.decide(run, { approval, decision: 'reject' })).rejects.toThrow(/nothing can be decided/);
  const after = await stage.tree(run);
  expect([after.seq, after.ended]).toEqual([tree.seq, tree.ended]);
  return after;
}

/** What a run answered, where it came to an answer. */
export function answerOf({ ended }: RunTree): string | undefined {
  const { outcome, answer } = ended ?? {};
  return outcome === 'completed' && typeof answer === 'string' ? answer : undefined;
}

export function effectOf(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}

/** Effects of these tools whose outcome was recorded. */
export function doneIn(entries: readonly Entry[], tools: ReadonlySet<string>): string[] {
  const calls = new Map<number, string>();
  return entries.flatMap(({ event }) => {
    if (event.type === 'step.opened' && event.call && tools.has(event.call.tool))
      calls.set(event.step, effectOf(event.call.tool, event.call.arguments));
    return event.type === 'step.closed' ? (calls.get(event.step) ?? []) : [];
  });
}

/** Calls of these tools that a run has in it: each may be done once. */
export function callsIn({ steps }: RunTree, tools: ReadonlySet<string>): string[] {
  return [...steps.values()].flatMap(({ call }) =>
    call && tools.has(call.tool) ? [effectOf(call.tool, call.arguments)] : [],
  );
}

/** What was done more often than there are calls of it. */
export function tooOften(done: Iterable<string>, calls: Iterable<string>): string[] {
  const most = countOf(calls);
  return [...countOf(done)].flatMap(([effect, times]) => (times > (most.get(effect) ?? 0) ? [effect] : []));
}

/** How often each was done. */
export function countOf(effects: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const effect of effects) counts.set(effect, (counts.get(effect) ?? 0) + 1);
  return counts;
}
