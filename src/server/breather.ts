import { setTimeout as sleep } from 'node:timers/promises';

/** How long work goes on before others get their turn, and how long that is. Milliseconds. */
const spell = 4;
const rest = 1;

/** Long work asks this between its parts: others are served in between, however long the whole takes. */
export function breather(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < spell) return;
    await sleep(rest);
    since = performance.now();
  };
}
