import fc, { type Arbitrary } from 'fast-check';
import { stepOf, textOf, type RunTree } from '../src/run/tree.ts';

/** A stage as a DIAL server could tell it, and what must be seen of it in the end. */
export interface ToldStage {
  readonly index: number;
  /** Its place in the list, if it is inside another. */
  readonly parent: number | undefined;
  readonly pieces: readonly object[];
  readonly shown: ShownStage;
}

export interface ShownStage {
  readonly origin: string;
  readonly parent: string;
  readonly title: string;
  readonly text: string;
  readonly attachments: readonly string[];
  readonly status: string;
}

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 });
const middle = fc.oneof(
  words.map((name) => ({ name, status: null })),
  words.map((content) => ({ content, status: null })),
  words.map((data) => ({ attachments: [{ index: 0, type: 'text/plain', data }], status: null })),
  fc.record({ name: words, content: words }),
);
const plan = fc.record({
  first: words,
  parent: fc.option(fc.nat(3), { nil: undefined }),
  middle: fc.array(middle, { maxLength: 5 }),
  status: fc.constantFrom('completed', 'failed', null),
});

/** Up to five stages with sparse indexes, some inside others. */
export const anyStages: Arbitrary<ToldStage[]> = fc
  .array(plan, { minLength: 1, maxLength: 5 })
  .map((plans) => plans.map((one, place) => told(one, place)));

type Piece = { readonly name?: string; readonly content?: string; readonly attachments?: { data: string }[] };
type Plan = {
  readonly first: string;
  readonly parent: number | undefined;
  readonly middle: readonly Piece[];
  readonly status: string | null;
};

const indexAt = (place: number): number => place * 3;

function told({ first, parent: wanted, middle: rest, status }: Plan, place: number): ToldStage {
  const index = indexAt(place);
  const parent = wanted !== undefined && wanted < place ? wanted : undefined;
  const nested = parent === undefined ? {} : { parent_stage_index: indexAt(parent) };
  const pieces = [{ name: first, status: null, ...nested }, ...rest, ...(status ? [{ status }] : [])];
  const join = (field: 'name' | 'content'): string => rest.map((piece) => piece[field] ?? '').join('');
  return {
    index,
    parent,
    pieces: pieces.map((piece) => ({ index, ...piece })),
    shown: {
      origin: String(index),
      parent: parent === undefined ? '' : String(indexAt(parent)),
      title: first + join('name'),
      text: join('content'),
      attachments: rest.flatMap(({ attachments = [] }) => attachments.map(({ data }) => data)),
      status: status ?? 'abandoned',
    },
  };
}

/** The pieces of all stages, each stage's in order, in frames of one to three. A stage opens while its parent is open. */
export function interleaved(stages: readonly ToldStage[], picks: readonly number[]): object[][] {
  const next = stages.map(() => 0);
  const isThere = (place: number): boolean => (next[place] ?? 0) > 0;
  const mayGo = ({ parent, pieces, shown }: ToldStage, place: number): boolean => {
    const at = next[place] ?? 0;
    if (at === pieces.length) return false;
    if (at === 0 && parent !== undefined) return isThere(parent);
    const isClosing = at === pieces.length - 1 && shown.status !== 'abandoned';
    return !isClosing || stages.every((other, i) => other.parent !== place || isThere(i));
  };
  const frames: object[][] = [];
  for (let i = 0; ; i += 1) {
    const ready = [...stages.keys()].filter((place) => mayGo(stages[place] as ToldStage, place));
    const pick = picks[i % picks.length] ?? 0;
    const place = ready[pick % Math.max(ready.length, 1)];
    const piece = place === undefined ? undefined : stages[place]?.pieces[next[place] ?? 0];
    if (place === undefined || piece === undefined) return frames;
    next[place] = (next[place] ?? 0) + 1;
    const last = frames.at(-1);
    if (last && last.length < 3 && pick % 2 === 0) last.push(piece);
    else frames.push([piece]);
  }
}

/** The mirrored stages of a run, by index. */
export function stagesIn(tree: RunTree): ShownStage[] {
  return [...tree.steps.values()]
    .filter(({ origin }) => origin !== undefined)
    .map((step) => ({
      origin: step.origin ?? '',
      parent: stepOf(tree, step.parent).origin ?? '',
      title: step.title,
      text: textOf(step),
      attachments: step.items.map((item) => (item.kind === 'attachment' ? (item.attachment.data ?? '') : '')),
      status: step.status,
    }))
    .toSorted((a, b) => Number(a.origin) - Number(b.origin));
}
