import { inTurn, soonInTurn } from './in-turn.ts';

/** How long work goes on before others get their turn. Milliseconds. */
const spell = 1;
/** So many spells are short work. What is longer stands in line with all long work. */
const short = 4;

export interface Breathing {
  /** Aborts when nobody waits for it any more: then its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** It is known to be long before it begins. */
  readonly isLong?: boolean;
}

/** Work that may be long asks this between its parts: others are served in between, however long the whole takes. */
export function breather({ signal, isLong = false }: Breathing = {}): () => Promise<void> {
  let since = performance.now();
  let spells = isLong ? short : 0;
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - since < spell) return;
    spells += 1;
    await (spells <= short ? soonInTurn() : inTurn());
    signal?.throwIfAborted();
    since = performance.now();
  };
}
