import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serving } from '../../../test/serving.ts';
import { inTurn } from '../../loop/machine.ts';

/** Longer than what was done before is rested for. */
const rested = 60;

/** Whether long work waits for ten milliseconds, which it does not by itself. */
async function isHeldUp(): Promise<boolean> {
  let isDone = false;
  const done = inTurn().then(() => (isDone = true));
  await sleep(10);
  const isHeld = !isDone;
  await done;
  return isHeld;
}

test('[X27] long work lets a request pass that was not answered yet, and goes on when it was', async () => {
  const { url } = await serving();
  const { host, hostname, port } = new URL(url);
  const head = `POST /api/sign-in HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  let held = 0;
  // On a busy machine ten milliseconds may take longer than anybody is waited for.
  for (let i = 0; i < 30 && held === 0; i += 1) {
    await sleep(rested);
    expect(await isHeldUp()).toBe(false);
    await sleep(rested);
    const socket = connect(Number(port), hostname);
    socket.write(`${head}Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`);
    // It says so, and is in the middle of it.
    await once(socket, 'data');
    if (await isHeldUp()) held += 1;
    socket.resume().write('{}');
    await once(socket, 'close');
  }
  expect(held).toBe(1);
});
