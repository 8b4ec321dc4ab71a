// What is drawn when something happens: the component itself is counted, by a line that the test puts into it.
import { expect, test } from 'vitest';
import type { Entry } from '../../src/client/client.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { describeInBrowser } from '../browser.ts';
import { counting } from '../web/counting.ts';
import { harness } from '../web/harness.ts';

const step = counting(
  'step-card.tsx',
  /function StepCard\(\{ run, id, depth \}: StepProps\): ReactNode \{/,
  'id',
);
const node = counting('graph-node.tsx', /function NodeCard\(\{ data, selected \}: [^\n]*\{/, 'data.path');
const edge = counting('graph-edge.tsx', /function PortEdge\(props: [^\n]*\{/, 'props.id');

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
    const page = await harness(browser(), 'renders.tsx', [step]);
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
    await expect.poll(() => page.locator('[data-step]').count()).toBe(51);
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

  test('[CV8] of three hundred nodes on a canvas, what happens to one draws that one, and the edges it decides', async () => {
    const page = await harness(browser(), 'canvas.tsx', [node, edge]);
    await page.setViewportSize({ width: 1400, height: 900 });
    const fed = (...events: readonly RunEvent[]): Promise<unknown> =>
      page.evaluate(`drawnAfter(${JSON.stringify(entries(...events))})`);
    const at = (step: number): RunEvent => ({
      type: 'step.opened',
      step,
      parent: 0,
      key: `n${step}`,
      kind: 'template',
      title: `n${step}`,
    });
    const done = (step: number): RunEvent => ({
      type: 'step.closed',
      step,
      outcome: 'completed',
      result: { port: 'done', output: step },
      usage: { input: 0, output: 0 },
    });
    await page.evaluate('draw(300)');
    await expect.poll(() => page.locator('[data-node]').count()).toBe(300);
    await page.evaluate('settled()');
    for (const i of [1, 2, 3]) {
      expect(await fed(at(i))).toEqual({ [`n${i}`]: 1 });
      expect(await fed(done(i))).toEqual({ [`n${i}`]: 1, [`n${i}:done:n${i + 1}`]: 1 });
    }
    await expect.poll(() => page.getAttribute('[data-node=n3]', 'data-state')).toBe('completed');
    await expect.poll(() => page.getAttribute('[data-edge="n3:done:n4"]', 'data-edge-state')).toBe('taken');
  });
});
