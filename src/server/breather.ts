import { inTurn } from './compose-agents.ts';

/** How long work goes on before others get their turn. Milliseconds. */
const spell = 2;

/** Long work asks this between its parts: others are served in between, however long the whole takes. */
export function breather(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < spell) return;
    await inTurn();
    since = performance.now();
  };
}
