// What one key of a hostile tenant does, in a process of its own, until it is told to stop: reads that are large, slow or
// given up, sockets that are never opened, bodies that are huge.
import { get, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { used } from './used.ts';

const [url = '', run = '', session = '', viewer = '', member = ''] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
const authorization = `Bearer ${viewer}`;
const counts = { answers: 0, refused: 0, broken: 0 };

const paths = [
  `/api/runs/${run}`,
  `/api/runs/${run}?depth=3`,
  `/api/runs/${run}?at=500`,
  `/api/runs/${run}/entries?limit=10000`,
  `/api/sessions/${session}`,
  `/workflows/execution/${run}/steps`,
];

async function reader(i: number): Promise<void> {
  for (let k = i; ; k += 1) {
    await new Promise<void>((resolve) => {
      const asking = get(`${url}${paths[k % paths.length]}`, { headers: { authorization } }, (answer) => {
        if (answer.statusCode === 200) counts.answers += 1;
        else counts.refused += 1;
        // One in four never reads to the end.
        if (k % 4 === 3) setTimeout(() => asking.destroy(), 500);
        else answer.resume();
        answer.on('close', resolve);
      });
      asking.on('error', () => {
        counts.broken += 1;
        resolve();
      });
    });
    await sleep(5);
  }
}

async function aborter(): Promise<void> {
  for (;;) {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET /ws/runs/${run} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
        () => socket.resetAndDestroy(),
      );
    });
    socket.on('error', () => {});
    await sleep(10);
  }
}

async function sender(path: string, key: string): Promise<void> {
  const body = Buffer.alloc(900_000, '[');
  for (;;) {
    await new Promise<void>((resolve) => {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': body.length,
      };
      const asking = request(`${url}${path}`, { method: 'POST', headers }, (answer) =>
        answer.resume().on('close', resolve),
      );
      asking.on('error', () => resolve());
      asking.end(body);
    });
    await sleep(20);
  }
}

for (let i = 0; i < 20; i += 1) void reader(i);
void aborter();
void sender('/api/runs', viewer);
void sender('/api/files', viewer);
void sender('/api/runs', member);
process.on('message', () => process.send?.({ ...counts, used: used() }));
process.on('disconnect', () => process.exit(0));
