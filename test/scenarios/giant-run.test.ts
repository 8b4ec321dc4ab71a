import { expect, test } from 'vitest';
import { sized, tell } from '../long.ts';
import { appWith, idsIn, serving, textAt } from '../serving.ts';

const pieces = sized(50_000, 1_000_000);

test(
  `[R56] a run of ${pieces} entries is watched from its tail for what the tail costs, also after a restart`,
  { timeout: 1_200_000 },
  async () => {
    const told = Promise.withResolvers<void>();
    const chatter = appWith(async (scope) => {
      for (let i = 0; i < pieces; i += 1) {
        scope.say(`${i} `);
        // A flow that never waits would keep the server from everything else.
        if (i % 2_000 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      told.resolve();
      return (await scope.ask({ key: 'q', title: 'Enough?' })).decision;
    }, 'chatter');
    const config = { apps: { chatter: { ...chatter, limits: { tokens: 1_000_000_000 } } } };
    const first = await serving({ config });
    const run = textAt(
      await first.ask('/api/runs', { json: { app: 'chatter', input: { text: 'go' } } }),
      'run',
    );
    await told.promise;
    const { head } = await asked(first, run);
    expect(head).toBeGreaterThan(pieces);
    await first.close();

    const second = await serving({ config, data: first.data });
    const began = performance.now();
    const tail = await firstFrames(`${second.url}/api/runs/${run}/events?after=${head - 5}`, 5);
    tell('giant run', { entries: head, 'ms to the tail': Math.round(performance.now() - began) });
    expect(idsIn(tail)).toEqual(Array.from({ length: 5 }, (_, i) => head - 4 + i));
    expect(tail.length).toBeLessThan(10_000);
  },
);

type Asked = { readonly head: number };

/** Once it waits for a person, all it said is durable. */
async function asked(at: Awaited<ReturnType<typeof serving>>, run: string): Promise<Asked> {
  for (;;) {
    const { json } = await at.ask('/api/runs?limit=1');
    const [row] = (json as { runs: { run: string; status: string; seq: number }[] }).runs;
    if (row?.run === run && row.status === 'waiting') return { head: row.seq };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function firstFrames(url: string, count: number): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (idsIn(text).length >= count) break;
  }
  leaving.abort();
  return text;
}
