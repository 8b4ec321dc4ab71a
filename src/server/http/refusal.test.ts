import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { refusalOf } from './refusal.ts';

test('[S51] whoever leaves in the middle of a body is no bug of ours', async () => {
  const refused = refusalOf(await thrownWhenLeft(), []);
  expect(refused).toMatchObject({ status: 400, isBug: false });
});

test('[S51] whom we asked ourselves, and who left, is', () => {
  const left = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  expect(refusalOf(left, [])).toMatchObject({ status: 500, isBug: true });
});

/** What the framework throws for a body that was promised, and begun. */
async function thrownWhenLeft(): Promise<unknown> {
  const thrown = Promise.withResolvers<unknown>();
  const app = fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler((error) => thrown.resolve(error));
  app.addHook('preParsing', async () => void socket.destroy());
  app.post('/', async () => thrown.reject(new Error('it was read')));
  const { hostname, port, host } = new URL(await app.listen({ port: 0 }));
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  return await thrown.promise;
}
