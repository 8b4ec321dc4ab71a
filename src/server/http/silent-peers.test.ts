import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cutSilentPeers } from './answer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const hex = (number: number): string => number.toString(16).toUpperCase().padStart(4, '0');
/** A line as Linux 6.18 writes it, of a connection on the loopback address. */
const line = ([local, remote]: readonly [number, number], again: number, before = ''): string =>
  `   5: ${before}0100007F:${hex(local)} ${before}0100007F:${hex(remote)} 01 00000004:00000000 01:000001F2 0000${hex(again)}     0        0 62254 2 00000000654a5b80 20 4 30 10 -1`;

/** A server with two connections, and what the kernel says of them. */
async function connected(
  tell: (ports: { local: number; first: number; second: number }) => readonly string[],
) {
  const server = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: local } = server.address() as AddressInfo;
  const peers: Socket[] = [];
  const stop = cutSilentPeers(server, async () => {
    const [first = 0, second = 0] = peers.map((peer) => peer.localPort ?? 0);
    return tell({ local, first, second });
  });
  onTestFinished(() => {
    stop();
    for (const peer of peers) peer.destroy();
    server.close();
  });
  for (let i = 0; i < 2; i += 1) {
    const peer = connect(local, '127.0.0.1');
    peer.on('error', () => {}).resume();
    peers.push(peer);
    await Promise.all([once(peer, 'connect'), once(server, 'connection')]);
  }
  return peers;
}

test.for([
  ['as one of IPv4', ''],
  ['as one of IPv6', '0000000000000000FFFF0000'],
])(
  '[R11] [V139] a peer that answers nothing the kernel sends is cut off, and no other: told %s',
  async ([, before]) => {
    const [first, second] = await connected(({ local, first: one, second: other }) => [
      [head, line([local, one], 6, before), line([local, other], 5, before), ''].join('\n'),
      '',
    ]);
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => first?.closed).toBe(true);
    expect(second?.closed).toBe(false);
  },
);

test('[R11] [V139] where the kernel says nothing nobody is cut off', async () => {
  const peers = await connected(() => ['', 'nonsense\n\n1 2 3']);
  vi.advanceTimersByTime(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(peers.map((peer) => peer.closed)).toEqual([false, false]);
});
