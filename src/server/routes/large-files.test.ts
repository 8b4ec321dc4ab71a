import { describe, expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { serving, type Serving } from '../../../test/serving.ts';

const plans = [planOf('single', [planStep(1, 'graph')])];
const config = deskConfig({ plans, settings: { retrieval: { uploads: true } } });
const megabyte = 1024 * 1024;

/** Every route that takes a file, and the most it takes. */
const routes = [
  ['/api/applications/desk/chat/upload?name=big.txt', 50 * megabyte + 64 * 1024],
  ['/api/conversations/mine/documents?name=big.txt', 50 * megabyte],
  ['/api/files?name=big.txt', 20 * megabyte],
  ['/api/applications/desk/logo', megabyte],
] as const;

/** Bytes of which the client keeps one piece. */
async function* bytesOf(size: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(64 * 1024).fill(120);
  for (let sent = 0; sent < size; sent += piece.length) {
    yield piece;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function send(
  { url }: Serving,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const body = ReadableStream.from(bytesOf(51 * megabyte));
  const answer = await fetch(`${url}${path}`, { method: 'POST', body, headers, duplex: 'half' });
  return { status: answer.status, text: await answer.text() };
}

describe('[GD52] 51 MB are refused, with the field and the fix', () => {
  test.for(routes)('%s', async ([path, most]) => {
    const at = await serving({ config });
    const { status, text } = await send(at, path, { 'content-type': 'text/plain' });
    expect([status, JSON.parse(text)]).toEqual([
      413,
      {
        error: {
          code: 'too-large',
          message: `It does not fit: file: more than ${most} bytes; send a smaller one.`,
        },
      },
    ]);
    expect((await at.ask('/api/apps')).status).toBe(200);
  });

  test('a form as well, and one that has no more than it may is kept', async () => {
    const at = await serving({ config });
    const form = async (size: number): Promise<Response> => {
      const sent = new FormData();
      sent.set('file', new File([new Uint8Array(size)], 'big.txt', { type: 'text/plain' }));
      return fetch(`${at.url}/api/applications/desk/chat/upload`, { method: 'POST', body: sent });
    };
    const [large, fitting] = [await form(51 * megabyte), await form(50 * megabyte)];
    expect([large.status, fitting.status]).toEqual([413, 201]);
    expect(await large.text()).toContain('file: more than');
  });

  test('many at once are no more than one share of memory', async () => {
    const at = await serving({ config });
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5);
    const [[path]] = routes;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        send(at, path, { 'content-type': 'text/plain' }).then(
          ({ status }) => status,
          () => 'cut off',
        ),
      ),
    );
    clearInterval(looking);
    expect(answers).toContain(413);
    expect(answers.filter((one) => one === 201)).toEqual([]);
    expect((most - before) / megabyte).toBeLessThan(200);
    expect((await at.ask('/api/apps')).status).toBe(200);
  });
});
