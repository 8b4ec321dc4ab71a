// A run that is fed by a test, and what is drawn when something happens to it.
import type { Entry } from '../../src/client/client.ts';
import type { News } from '../../src/client/follow.ts';
import { runStore } from '../../src/client/store.ts';

const waiting: News[] = [{ is: 'joined', head: 0 }];
let wake: () => void = () => {};

async function* follow(): AsyncGenerator<News> {
  for (;;) {
    for (let news = waiting.shift(); news; news = waiting.shift()) yield news;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

export const run = runStore('r', follow);

const counts: Record<string, number> = {};
const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

function forget(): void {
  for (const name of Object.keys(counts)) delete counts[name];
}

Object.assign(globalThis, {
  /** Called by what is drawn, by a line that the test puts into it. */
  drawn: (name: string | number) => {
    counts[name] = (counts[name] ?? 0) + 1;
  },
  /** Resolves once nothing is drawn any more: three frames in a row without anything. */
  settled: async () => {
    for (let still = 0; still < 3; still += 1) {
      forget();
      await frame();
      if (Object.keys(counts).length > 0) still = -1;
    }
  },
  /** What is drawn when these entries come: with the first that is drawn, and two frames later. */
  drawnAfter: async (entries: readonly Entry[]) => {
    forget();
    waiting.push({ is: 'entries', entries });
    wake();
    while (Object.keys(counts).length === 0) await frame();
    await frame();
    await frame();
    return { ...counts };
  },
});
