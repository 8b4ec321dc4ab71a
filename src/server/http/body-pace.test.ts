import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keyIn, serving, temporaryFolder } from '../../../test/serving.ts';

const mebibyte = 1024 * 1024;
const tooMuch = 400 * mebibyte;
/** What the machine holds for both ends of a connection. */
const onTheWay = 24 * mebibyte;

test('[X28] of whoever sends without end 64 MB are read, and then 8 a second, also where all of it is refused', async () => {
  const data = temporaryFolder();
  const key = keyIn(data, { role: 'viewer' });
  const { url } = await serving({ data, config: { auth: { required: true } } });
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const began = performance.now();
  socket.write(
    `POST /api/runs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${tooMuch}\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 403 /);
  const piece = Buffer.alloc(mebibyte / 4, ' ');
  let taken = 0;
  const send = (): void =>
    void socket.write(piece, (thrown) => {
      if (thrown) return;
      taken += piece.length;
      send();
    });
  send();
  await expect.poll(() => taken).toBeGreaterThan(64 * mebibyte);
  await sleep(4_000);
  const seconds = (performance.now() - began) / 1_000;
  expect(taken).toBeLessThan((64 + 8 * seconds) * mebibyte + onTheWay);
  socket.destroy();
});

test('[X28] what one sends is as it was sent, also where it was waited for', async () => {
  const data = temporaryFolder();
  const [key, other] = ['a', 'b'].map((tenant) => keyIn(data, { role: 'member', tenant }));
  const { url } = await serving({
    data,
    config: { auth: { required: true }, server: { quotas: { requests: 100_000, burst: 100_000 } } },
  });
  const send = async (bearer: string | undefined, body: Buffer): Promise<unknown> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'text/plain' };
    return (await fetch(`${url}/api/files`, { method: 'POST', headers, body })).json();
  };
  const large = Buffer.alloc(24 * mebibyte, 'some words and ');
  const answers = [];
  for (let i = 0; i < 3; i += 1) answers.push(await send(key, large));
  expect(answers).toEqual([await send(other, large), answers[0], answers[0]]);
});
