import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { says } from '../../../test/large/says.ts';
import { serving } from '../../../test/serving.ts';

/** More than the kernel takes of what nobody reads. */
const megabytes = 16;

test('[R11] [S48] a stream whose reader is there and reads nothing is cut off, and its place is free again', async () => {
  const { url, ask } = await serving({ config: { apps: { says: says() } }, patience: 3_000 });
  const { run } = (await ask('/api/runs', { json: { input: { text: String(megabytes) } } })).json as {
    readonly run: string;
  };
  await expect.poll(async () => (await ask(`/api/runs?limit=1`)).text).toContain('"status":"completed"');
  const { hostname, port } = new URL(url);
  const reader = connect(Number(port), hostname);
  onTestFinished(() => void reader.destroy());
  reader.on('error', () => {});
  reader.pause();
  reader.write(
    `GET /api/runs/${run}/events HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\naccept: text/event-stream\r\n\r\n`,
  );
  const viewers = async (): Promise<string | undefined> =>
    /^vitrine_viewers (\d+)$/m.exec((await ask('/metrics')).text)?.[1];
  await expect.poll(viewers).toBe('1');
  await expect.poll(viewers).toBe('0');
  let bytes = 0;
  reader.on('data', (piece: Buffer) => (bytes += piece.length)).resume();
  await expect.poll(() => reader.closed).toBe(true);
  expect(bytes).toBeLessThan(megabytes * 1_000_000);
});
