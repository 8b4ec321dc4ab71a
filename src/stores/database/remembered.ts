import type { Result } from '../rules/rules.ts';
import { decide, type Decision, type Item } from './decide.ts';
import { noRows, type GuardedChunk, type KeptRun } from './port.ts';

/** The rows of the runs that this process works on, as it saw them last. Others may have changed them since. */
export interface Remembered {
  /** The chunk of an append that, as far as is remembered, changes nothing else. Undefined: decide under lock. */
  chunkOf(item: Item): GuardedChunk | undefined;
  /** The chunk was added. */
  grown(added: GuardedChunk, at: number): void;
  /** So these rows are now: it was decided under lock. */
  learn(items: readonly Item[], decision: Decision): void;
  forget(run: string): void;
  forgetAll(): void;
}

export function rememberedRows(): Remembered {
  const known = new Map<string, KeptRun>();
  return {
    chunkOf(item) {
      const { name, argument } = item.operation;
      if (name !== 'append' || argument.ends || (argument.uses ?? []).length > 0) return undefined;
      const kept = known.get(argument.fence.run);
      return kept && chunkAlone(kept, item);
    },
    grown({ chunk, version }, at) {
      const kept = known.get(chunk.run);
      if (!kept) return;
      const bytes = kept.row.bytes + Buffer.byteLength(chunk.frames);
      known.set(chunk.run, { version, row: { ...kept.row, head: chunk.last, bytes, updatedAt: at } });
    },
    learn(items, { outcomes, set }) {
      const taken = new Set(items.flatMap((item, i) => runsTaken(item, outcomes[i])));
      for (const run of set.runs()) {
        const kept = set.kept(run);
        if (kept?.row.state === 'running' && (taken.has(run) || known.has(run))) known.set(run, kept);
        else known.delete(run);
      }
    },
    forget: (run) => void known.delete(run),
    forgetAll: () => known.clear(),
  };
}

/** The rule decides on the remembered row; what it refuses it may refuse for something that is no longer so. */
function chunkAlone(kept: KeptRun, item: Item): GuardedChunk | undefined {
  const { outcomes, set } = decide(
    [item],
    { ...noRows, now: kept.row.updatedAt, runs: [kept] },
    { runs: [kept.row.run] },
  );
  const [change, ...others] = set.changes();
  if (outcomes.some((outcome) => 'failure' in outcome) || others.length > 0) return undefined;
  return change?.type === 'chunk.added' ? { chunk: change.chunk, version: kept.version } : undefined;
}

/** The runs that somebody here works on from now on: nobody else's have to be remembered. */
function runsTaken({ operation: { name, argument } }: Item, outcome: unknown): readonly string[] {
  if (name === 'append') return [argument.fence.run];
  if (name === 'create') return argument.claim ? [argument.run] : [];
  if (name !== 'claim') return [];
  const { result = [] } = outcome as { readonly result?: Result<'claim'> };
  return result.map(({ fence }) => fence.run);
}
