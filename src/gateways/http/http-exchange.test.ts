import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { defaultTimeouts, httpEndpoint, type Listener } from './http-exchange.ts';

/** Sends all of it at once. */
async function serving(body: Buffer): Promise<URL> {
  const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

interface Heard {
  readonly bytes: Buffer;
  readonly largest: number;
}

async function hearAll(url: URL, answers: number): Promise<Heard> {
  const endpoint = httpEndpoint(url, defaultTimeouts);
  const pieces: Buffer[] = [];
  let largest = 0;
  const hear = (i: number): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const listener: Listener = {
      who: 'Model m',
      head: () => undefined,
      data(bytes) {
        if (i === 0) pieces.push(Buffer.from(bytes));
        largest = Math.max(largest, bytes.length);
        return true;
      },
      end: resolve,
      fail: reject,
    };
    endpoint.send({ method: 'GET', path: '/', headers: {} }, listener);
    return promise;
  };
  await Promise.all(Array.from({ length: answers }, (_, i) => hear(i)));
  return { bytes: Buffer.concat(pieces), largest };
}

const body = Buffer.from(Array.from({ length: 400_000 }, (_, i) => i % 251));

test('[X24] an answer that floods in is read in slices, whole and in order, and ends after the last', async () => {
  const { bytes, largest } = await hearAll(await serving(body), 4);
  expect(bytes.equals(body)).toBe(true);
  expect(largest).toBe(4 * 1024);
});

test('[X24] small pieces that flood in are read no faster: one slice in a turn of the loop', async () => {
  const server = createServer((_, response) => {
    for (let i = 0; i < 2_000; i += 1) response.write('x'.repeat(100));
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [inThisTurn, most, all] = [0, 0, 0];
  const listener: Listener = {
    who: 'Model m',
    head: () => undefined,
    data({ length }) {
      if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
      inThisTurn += length;
      most = Math.max(most, inThisTurn);
      all += length;
      return true;
    },
    end: resolve,
    fail: reject,
  };
  httpEndpoint(url, defaultTimeouts).send({ method: 'GET', path: '/', headers: {} }, listener);
  await promise;
  expect(all).toBe(200_000);
  expect(most).toBeLessThanOrEqual(2 * 4 * 1024);
});

test('[X24] what came before a connection broke is read before the failure is told', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': body.length + 1 });
    response.write(body, () => response.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let told = 0;
  const listener: Listener = {
    who: 'Model m',
    head: () => undefined,
    data(bytes) {
      told += bytes.length;
      return true;
    },
    end: () => reject(new Error('an answer that broke off has ended')),
    fail: () => resolve(told),
  };
  httpEndpoint(url, defaultTimeouts).send({ method: 'GET', path: '/', headers: {} }, listener);
  expect(await promise).toBe(body.length);
});
