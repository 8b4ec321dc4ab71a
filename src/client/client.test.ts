// Time is made up here: no server that is real may live in this process meanwhile, or what it waits for never comes.
import { describe, expect, test, vi } from 'vitest';
import { vitrineClient, type FlatTree } from './client.ts';

describe('a server that is away', () => {
  const sse = { headers: { 'content-type': 'text/event-stream' } };
  const first = 'id: 1\ndata: {"t":1,"s":0,"x":"a"}\n\n';
  const farewell = ': the server is going away\nretry: 8000\n\n';

  /** Answers in turn with what it was given; counts how often it was asked. */
  function answering(answers: readonly (() => Response)[]) {
    let asked = 0;
    const given: typeof fetch = async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (!answer) throw new TypeError('fetch failed');
      return answer();
    };
    return { client: vitrineClient({ url: 'http://nowhere', fetch: given }), asked: () => asked };
  }

  test('says how long to wait, and is not asked before', async () => {
    vi.useFakeTimers();
    try {
      const over = (): Response => new Response(null, { status: 204 });
      const { client, asked } = answering([() => new Response(first + farewell, sse), over]);
      const following = lastTree(client.follow('run_1'));
      await vi.advanceTimersByTimeAsync(7_900);
      expect(asked()).toBe(1);
      await vi.advanceTimersByTimeAsync(8_200);
      expect(asked()).toBe(2);
      expect((await following)?.seq).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is asked again, less and less often, until whoever waits lets go', async () => {
    vi.useFakeTimers();
    try {
      const { client, asked } = answering([]);
      const leave = new AbortController();
      const following = lastTree(client.follow('run_1', leave.signal));
      await vi.advanceTimersByTimeAsync(10_000);
      const early = asked();
      expect(early).toBeGreaterThan(3);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(asked() - early).toBeLessThan(300);
      const before = asked();
      leave.abort();
      expect(await following).toBeUndefined();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked()).toBe(before);
    } finally {
      vi.useRealTimers();
    }
  });

  test.for([
    [
      'a page of something else',
      () => new Response('<html>hello</html>', { headers: { 'content-type': 'text/html' } }),
    ],
    [
      'no such run',
      () => Response.json({ error: { code: 'unknown', message: 'There is no run.' } }, { status: 404 }),
    ],
    ['no entry for strangers', () => new Response('', { status: 401 })],
    [
      'a cursor of the future',
      () => Response.json({ error: { code: 'rejected', message: 'Later.' } }, { status: 409 }),
    ],
  ] as const)('is left alone when it answers %s', async ([, answer]) => {
    const { client, asked } = answering([answer]);
    await expect(lastTree(client.follow('run_1'))).rejects.toThrow();
    expect(asked()).toBe(1);
  });

  test('is named when it cannot be reached', async () => {
    const { client } = answering([]);
    await expect(client.start({ text: 'x' })).rejects.toThrow('http://nowhere cannot be reached.');
  });
});

test('a server with a path of its own in front is found there', async () => {
  const asked: string[] = [];
  const given: typeof fetch = async (address) => {
    asked.push(String(address instanceof Request ? address.url : address));
    return Response.json({ runs: [], next: null });
  };
  for (const url of ['http://host/vitrine', 'http://host/vitrine/', 'http://host'])
    await vitrineClient({ url, fetch: given }).runs({ limit: 2 });
  expect(asked).toEqual([
    'http://host/vitrine/api/runs?limit=2',
    'http://host/vitrine/api/runs?limit=2',
    'http://host/api/runs?limit=2',
  ]);
});

async function lastTree(trees: AsyncIterable<FlatTree>): Promise<FlatTree | undefined> {
  let last: FlatTree | undefined;
  for await (const tree of trees) last = tree;
  return last;
}
