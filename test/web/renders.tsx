// A run drawn by the app's own components, fed by a test: which steps are drawn when something happens.
import { createRoot } from 'react-dom/client';
import { vitrineClient, type Entry } from '../../src/client/client.ts';
import type { News } from '../../src/client/follow.ts';
import { runStore } from '../../src/client/store.ts';
import { StepTree, VitrineProvider } from '../../src/react/react.ts';
import { Folding, RunViewContext } from '../../web/src/steps/run-view.tsx';
import { StepCard } from '../../web/src/steps/step-card.tsx';
import { StepList } from '../../web/src/steps/step-list.tsx';

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

const run = runStore('r', follow);
const view = {
  run,
  conversation: 'c',
  folding: new Folding(),
  verbosity: 'steps' as const,
  goTo: () => {},
};
const counts: Record<string, number> = {};
const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
Object.assign(globalThis, {
  drawn: (id: number) => {
    counts[id] = (counts[id] ?? 0) + 1;
  },
  /** Which steps are drawn when these entries come: with the first that is drawn, and two frames later. */
  drawnAfter: async (entries: readonly Entry[]) => {
    for (const id of Object.keys(counts)) delete counts[id];
    waiting.push({ is: 'entries', entries });
    wake();
    while (Object.keys(counts).length === 0) await frame();
    await frame();
    await frame();
    return { ...counts };
  },
});
const place = document.createElement('div');
document.body.append(place);
createRoot(place).render(
  <VitrineProvider client={vitrineClient({ url: location.origin })}>
    <RunViewContext value={view}>
      <StepTree run={run} step={StepCard} list={StepList} />
    </RunViewContext>
  </VitrineProvider>,
);
