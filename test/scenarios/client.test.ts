import { beforeAll, describe, expect, test } from 'vitest';
import { vitrineClient, type FlatTree } from '../../src/client/client.ts';
import { appWith, serving, shareServing, type Serving } from '../serving.ts';

let at: Serving;

beforeAll(() =>
  shareServing(async () => {
    const apps = {
      talks: appWith(async (scope, text) => {
        await scope.step({ key: 's', title: 'Talk' }, async (step) => {
          for (let i = 0; i < 300; i += 1) step.say(`${text} ${i} `);
        });
        return `answer to ${text}`;
      }, 'talks'),
      asks: appWith(async (scope) => {
        const { decision, by } = await scope.ask({ key: 'q', title: 'May I?', arguments: { n: 1 } });
        return `${decision} by ${by}`;
      }, 'asks'),
    };
    at = await serving({ config: { apps, defaultApp: 'talks' } });
  }),
);

async function lastTree(trees: AsyncIterable<FlatTree>): Promise<FlatTree | undefined> {
  let last: FlatTree | undefined;
  for await (const tree of trees) last = tree;
  return last;
}

describe('the client', () => {
  test('starts a run and follows its tree to the end', async () => {
    const client = vitrineClient({ url: at.url });
    const { run, conversation } = await client.start({ text: 'hello', labels: { project: 'p' } });
    const tree = await lastTree(client.follow(run));
    expect(tree).toMatchObject({ run, status: 'completed', answer: 'answer to hello' });
    expect(await client.tree(run)).toEqual(tree);
    expect(await client.tree(run, 1)).toMatchObject({ seq: 1, status: 'running' });
    expect((await client.runs({ text: 'HELLO', label: 'project=p' })).runs.map((row) => row.run)).toContain(
      run,
    );
    await client.forget(conversation);
    await expect(client.tree(run)).rejects.toMatchObject({ failure: { code: 'unknown' } });
  });

  test('starts nothing twice with the same idempotency key', async () => {
    const client = vitrineClient({ url: at.url });
    const once = { text: 'x', idempotencyKey: 'client-1' };
    expect(await client.start(once)).toEqual(await client.start(once));
  });

  test('decides once, and learns who decided before', async () => {
    const client = vitrineClient({ url: at.url });
    const { run } = await client.start({ app: 'asks', text: 'x' });
    for await (const tree of client.follow(run)) if (tree.status === 'waiting') break;
    const [approval] = (await client.approvals({ run })).approvals;
    expect(approval).toMatchObject({ run, title: 'May I?', arguments: { n: 1 } });
    const id = approval?.id ?? '';
    const { fingerprint = '' } = approval ?? {};
    await expect(client.decide(id, { decision: 'approve' })).rejects.toThrow(/fingerprint/);
    expect(await client.decide(id, { decision: 'approve', fingerprint })).toMatchObject({
      decision: 'approve',
      by: 'local',
    });
    await expect(client.decide(id, { decision: 'reject' })).rejects.toThrow(/local decided «approve» at/);
    expect((await lastTree(client.follow(run)))?.answer).toBe('approve by local');
  });

  test('pauses, resumes, says something and stops', async () => {
    const client = vitrineClient({ url: at.url });
    const { run } = await client.start({ app: 'asks', text: 'x' });
    expect(await client.pause(run, 'lunch')).toMatchObject({ changed: true });
    expect(await client.resume(run)).toMatchObject({ changed: true });
    expect(await client.message(run, 'hurry')).toMatchObject({ run, changed: true });
    const stopped = await client.stop(run);
    expect(await client.stop(run)).toEqual(stopped);
    expect((await lastTree(client.follow(run)))?.status).toBe('stopped');
    await expect(client.pause(run)).rejects.toMatchObject({ failure: { code: 'rejected' } });
  });

  test('keeps a file and attaches it', async () => {
    const client = vitrineClient({ url: at.url });
    const kept = await client.upload({
      name: 'a.txt',
      type: 'text/plain',
      content: new TextEncoder().encode('abc'),
    });
    expect(kept).toMatchObject({ name: 'a.txt', size: 3 });
    const { run } = await client.start({ text: 'x', attachments: [{ file: kept.file }] });
    for await (const { event } of client.entries(run)) {
      if (event.type === 'run.started')
        expect(event.input.attachments).toMatchObject([{ title: 'a.txt', data: 'abc' }]);
    }
  });

  test('is told what is wrong, and does not try again what cannot help', async () => {
    let asked = 0;
    const counting: typeof fetch = (...request) => {
      asked += 1;
      return fetch(...request);
    };
    const client = vitrineClient({ url: at.url, fetch: counting });
    await expect(lastTree(client.follow('run_nope'))).rejects.toMatchObject({ failure: { code: 'unknown' } });
    await expect(client.start({ text: 'x', app: 'nope' })).rejects.toThrow('There is no app «nope»');
    expect(asked).toBe(2);
  });

  test('that is let go stops at once', async () => {
    const client = vitrineClient({ url: at.url });
    const { run } = await client.start({ app: 'asks', text: 'x' });
    const leave = new AbortController();
    for await (const tree of client.follow(run, leave.signal)) if (tree.status === 'waiting') leave.abort();
    await client.stop(run);
  });
});

describe('[L2] whatever happens to the connection', () => {
  /** Cuts the body of every stream after some bytes, refuses now and then, and answers nonsense once. */
  function flaky(cuts: () => number): typeof fetch {
    let asked = 0;
    return async (...request) => {
      asked += 1;
      if (asked % 5 === 0) throw new TypeError('fetch failed');
      if (asked % 7 === 0) return new Response('<html>bad gateway</html>', { status: 502 });
      const response = await fetch(...request);
      let left = cuts();
      const body = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(bytes, controller) {
            controller.enqueue(bytes.subarray(0, left));
            left -= bytes.length;
            if (left <= 0) controller.error(new TypeError('terminated'));
          },
        }),
      );
      return new Response(response.status === 204 ? null : (body ?? null), response);
    };
  }

  test('each entry comes once, in order, and the tree is the same', async () => {
    const { run } = await vitrineClient({ url: at.url }).start({ text: 'cut me' });
    const whole = [];
    for await (const entry of vitrineClient({ url: at.url }).entries(run)) whole.push(entry);
    let cut = 700;
    const client = vitrineClient({ url: at.url, fetch: flaky(() => (cut += 777)) });
    const got = [];
    for await (const entry of client.entries(run)) got.push(entry);
    expect(got).toEqual(whole);
  });
});
