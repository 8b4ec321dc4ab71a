import { setImmediate as turn } from 'node:timers/promises';
import { inTurn } from '../compose/agents.ts';

/** How long work goes on before others get their turn. Milliseconds. */
const spell = 2;
/** So many spells are short work: it only lets others in between. What is longer stands in line with all long work. */
const short = 4;

/** Long work asks this between its parts: others are served in between, however long the whole takes. */
export function breather(): () => Promise<void> {
  let since = performance.now();
  let spells = 0;
  return async () => {
    if (performance.now() - since < spell) return;
    spells += 1;
    await (spells <= short ? turn() : inTurn());
    since = performance.now();
  };
}
