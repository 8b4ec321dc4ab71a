// What is drawn when something happens: the component itself is counted, by a line that the test puts into it.
import type { Plugin } from 'vite';
import { expect, test } from 'vitest';
import type { Entry } from '../../src/client/client.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { describeInBrowser } from '../browser.ts';
import { harness } from '../web/harness.ts';

/** Counts how often a step is drawn. */
const counting: Plugin = {
  name: 'counting',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/step-card.tsx')) return undefined;
    const begin = /function StepCard\(\{ run, id, depth \}: StepProps\): ReactNode \{/;
    expect(code).toMatch(begin);
    return code.replace(begin, (found) => `${found}\n(globalThis as any).drawn(id);`);
  },
};

let seq = 0;
const entries = (...events: readonly RunEvent[]): readonly Entry[] =>
  events.map((event) => ({ seq: (seq += 1), at: seq, event }));
const open = (step: number, parent: number): RunEvent => ({
  type: 'step.opened',
  step,
  parent,
  key: `k${step}`,
  kind: 'step',
  title: `Step ${step}`,
});

describeInBrowser('drawing', (browser) => {
  test('[W11] a delta draws one step, a step that opens draws itself, whatever else is on the screen', async () => {
    const page = await harness(browser(), 'renders.tsx', [counting]);
    const fed = (...events: readonly RunEvent[]): Promise<unknown> =>
      page.evaluate(`drawnAfter(${JSON.stringify(entries(...events))})`);
    const usage = { input: 0, output: 0 };
    await fed(
      {
        type: 'run.started',
        tenant: 't',
        who: 'w',
        app: 'a',
        conversation: 'c',
        input: { text: 'x' },
        flow: { name: 'f', version: '1' },
        limits: {},
        labels: {},
      },
      ...Array.from({ length: 40 }, (_, i) => open(i + 1, 0)),
      ...Array.from({ length: 10 }, (_, i) => open(41 + i, 1)),
      open(51, 41),
    );
    expect(await page.locator('[data-step]').count()).toBe(51);
    for (const step of [51, 45, 7]) {
      const say = { type: 'text.appended', step, channel: 'content', text: 'more ' } as const;
      await fed(say);
      for (let i = 0; i < 5; i += 1) expect(await fed(say)).toEqual({ [step]: 1 });
    }
    // Whoever has a new step below it looks whether that is one to be drawn with it.
    expect(Object.keys((await fed(open(52, 1))) as object)).toEqual(['1', '52']);
    const closing = (await fed({ type: 'step.closed', step: 45, outcome: 'completed', usage })) as object;
    expect(Object.keys(closing)).toEqual(['45']);
  });
});
