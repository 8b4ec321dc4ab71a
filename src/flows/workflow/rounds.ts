import { z } from 'zod';
import type { Scope } from '../../engine/scope.ts';
import type { Context } from '../../graph/expression.ts';
import type { Part } from '../../graph/graph.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { outputOf } from './edges.ts';
import { runPart, type DoNode } from './part.ts';
import { asText, isTrue, listOf, seeing, titleOf, type AtWork, type Done, type NodeOf } from './sight.ts';

/** A graph inside a node, in a step of its own, and what it gives. */
async function bodyOf({ scope, around }: AtWork, part: Part, doNode: DoNode): Promise<Json> {
  return outputOf(part, await runPart(scope, { part, around }, doNode));
}

/** Where a body is done, and what more it sees. */
function inside(at: AtWork, scope: Scope, names: Context = {}): AtWork {
  return { ...seeing(at, names), scope };
}

const usualRounds = 100;

/** The body again and again: for each item, until something is true, or so many times. */
export async function looped(at: AtWork<NodeOf<'loop'>>, doNode: DoNode): Promise<Done> {
  const { node, scope } = at;
  const { over, until, times, max = times ?? usualRounds, body: part } = node;
  const items = over === undefined ? undefined : listOf(at, 'over', over);
  const wanted = items?.length ?? times ?? Infinity;
  const all: Json[] = [];
  let last: Json = null;
  let isOver = wanted === 0;
  for (let index = 0; index < Math.min(wanted, max) && !isOver; index += 1) {
    const names: Context = { index, last, ...(items ? { item: items[index] ?? null } : {}) };
    const round = { key: `round ${index + 1}`, kind: 'round', title: `Round ${index + 1}` };
    last = await scope.step(round, (inner) => bodyOf(inside(at, inner, names), part, doNode));
    all.push(last);
    isOver =
      until === undefined ? all.length === wanted : isTrue(seeing(at, { index, last }), 'until', until);
  }
  const output = { rounds: all.length, last, ...(items ? { all } : {}) };
  return { port: isOver ? 'done' : 'exhausted', output };
}

const usualAtOnce = 5;
const mostItems = 1_000;

/** The body for each item, some of them at a time; what came of each, in the order of items. */
export async function mapped(at: AtWork<NodeOf<'map'>>, doNode: DoNode): Promise<Json> {
  const { node, scope } = at;
  const { max = mostItems, atOnce = usualAtOnce, keepGoing = false, body: part } = node;
  const items = listOf(at, 'items', node.items);
  if (items.length > max) {
    const message = `«${titleOf(node)}» has ${items.length} items; ${max} are the most. Give it fewer, or raise «max».`;
    throw new RunError('too-large', message);
  }
  const work =
    (item: Json, index: number) =>
    async (inner: Scope): Promise<Json> => {
      try {
        return await bodyOf(inside(at, inner, { item, index }), part, doNode);
      } catch (thrown) {
        if (!keepGoing || !(thrown instanceof RunError)) throw thrown;
        return { error: errorIn(thrown) };
      }
    };
  const keys = items.map((_, index) => `branch ${index + 1}`);
  const branches = Object.fromEntries(items.map((item, index) => [keys[index] ?? '', work(item, index)]));
  const looks = Object.fromEntries(keys.map((key, index) => [key, { title: `Item ${index + 1}` }]));
  const found = await scope.parallel<Record<string, Json>>(branches, looks, { atOnce });
  return keys.map((key) => found[key] ?? null);
}

const usualThreshold = 0.8;
const usualReviews = 3;
const Judgement = z.object({ confidence: z.number().min(0).max(1), feedback: z.string() });

/** The body until a judge is sure enough of what it gives. Each round sees what the judge said of the one before. */
export async function reviewed(
  at: AtWork<NodeOf<'review'>>,
  doNode: DoNode,
  judging: typeof byTurn = byTurn,
): Promise<Done> {
  const { node, scope } = at;
  const { judge, threshold = usualThreshold, max = usualReviews, body: part } = node;
  let last: Judged | null = null;
  for (let index = 0; index < max; index += 1) {
    const names = { index, last };
    const round = { key: `round ${index + 1}`, kind: 'round', title: `Round ${index + 1}` };
    const judged: Judged = await scope.step(round, async (inner) => {
      const value = await bodyOf(inside(at, inner, names), part, doNode);
      return { value, ...(await judging(inner, judge, value)) };
    });
    last = judged;
    if (judged.confidence >= threshold) return { port: 'done', output: judged };
  }
  return { port: 'unsure', output: last };
}

function byTurn(scope: Scope, judge: string, value: Json): Promise<z.output<typeof Judgement>> {
  const options = { schema: Judgement, key: 'the judge', title: 'Judgement' };
  return scope.turn(judge, judgeText(value), options);
}

type Judged = { readonly value: Json; readonly confidence: number; readonly feedback: string };

function judgeText(value: Json): string {
  return `How sure are you that this is right and complete? Give «confidence» from 0 to 1, and «feedback»: what to do better.\n\n${asText(value)}`;
}

/** The body; where it fails, the fallback, which is told why. */
export async function safe(at: AtWork<NodeOf<'failsafe'>>, doNode: DoNode): Promise<Json> {
  const { node, scope } = at;
  try {
    return await scope.step({ key: 'body', kind: 'body', title: 'Body' }, (inner) =>
      bodyOf(inside(at, inner), node.body, doNode),
    );
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    const names = { error: errorIn(thrown) };
    return scope.step({ key: 'fallback', kind: 'fallback', title: 'Fallback' }, (inner) =>
      bodyOf(inside(at, inner, names), node.fallback, doNode),
    );
  }
}

function errorIn(thrown: RunError): { readonly code: string; readonly message: string } {
  const { code, message } = failureOf(thrown);
  return { code, message };
}
