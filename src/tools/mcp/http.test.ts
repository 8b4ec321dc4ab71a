import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recorder } from '../../../test/mcp/recorder.ts';
import { everythingOverHttp, find, opened, person, serveHttp, watched } from '../../../test/mcp/servers.ts';
import { RunError } from '../../run/failure.ts';

const signal = AbortSignal.timeout(60_000);
const open = opened();
const enough = new RunError('rejected', 'A person stopped it.');
async function recorded(): Promise<{ url: string; lines: string[]; drop: () => void }> {
  const lines: string[] = [];
  const server = await serveHttp(() => recorder({ note: (line) => void lines.push(line), modes: [] }));
  onTestFinished(() => server.close());
  return { ...server, lines };
}

/** A port that answers every request with a status, and counts the requests. */
async function answering(
  status: number,
): Promise<{ url: string; requests: { authorization: string | undefined }[] }> {
  const requests: { authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({ authorization: request.headers.authorization });
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}

test('[M5] over HTTP a cancelled call ends at once, and the server is told', async () => {
  const { url, lines } = await recorded();
  const stop = new AbortController();
  const running = (await find(open({ name: 'rec', url }), 'wait')).run({}, watched({ signal: stop.signal }));
  await expect.poll(() => lines).toContain('wait began');
  stop.abort(enough);
  await expect(running).rejects.toBe(enough);
  await expect.poll(() => lines).toContain('wait cancelled');
});

test('[M5] over HTTP progress and log lines are shown before the result', async () => {
  const { url } = await recorded();
  const context = watched();
  expect(await (await find(open({ name: 'rec', url }), 'chatty')).run({}, context)).toBe('done');
  expect(context.said).toEqual(['a line of the log\n', 'half (1/2)\n']);
});

test('[M6] over HTTP two runs that are asked at the same time are each asked their own', async () => {
  const { url } = await recorded();
  const tool = await find(open({ name: 'rec', url }), 'ask');
  const answers = ['Ada', 'Grace'].map((name) => tool.run({}, watched({ run: name, ...person({ name }) })));
  expect(await Promise.all(answers)).toEqual(['hello Ada', 'hello Grace']);
});

test.for([
  { name: 'wait', retryable: true },
  { name: 'wait_once', retryable: false },
])(
  '[M10] $name fails when its stream is cut, and does not wait for its timeout',
  async ({ name, retryable }) => {
    const { url, lines, drop } = await recorded();
    const server = open({ name: 'rec', url });
    const running = (await find(server, name)).run({}, watched());
    await expect.poll(() => lines).toContain(`${name} began`);
    drop();
    await expect(running).rejects.toMatchObject({ failure: { code: 'unavailable', retryable } });
    expect(await (await find(server, 'greet')).run({}, watched())).toBe('hello');
  },
);

test('[V132] [V133] a call that finds nobody says so by name, and that somebody should look again', async () => {
  const lines: string[] = [];
  const gone = await serveHttp(() => recorder({ note: (line) => void lines.push(line), modes: [] }));
  const server = open({ name: 'rec', url: gone.url });
  const greet = await find(server, 'greet');
  const lost = vi.fn();
  server.onChange(lost);
  await gone.close();
  await expect(greet.run({}, watched())).rejects.toMatchObject({
    failure: { code: 'unavailable', message: 'The MCP server rec cannot be reached.' },
  });
  expect(lost).toHaveBeenCalled();
});

test('[M10] a server that was killed in a call and started again is reached again', async () => {
  const first = await everythingOverHttp();
  const server = open({ name: 'every', url: first.url });
  const sum = await find(server, 'get-sum');
  const long = await find(server, 'trigger-long-running-operation');
  const context = watched();
  const running = long.run({ duration: 60, steps: 600 }, context);
  await expect.poll(() => context.said.length).toBeGreaterThan(0);
  await first.kill();
  await expect(running).rejects.toMatchObject({ failure: { code: 'unavailable', retryable: true } });
  await expect(sum.run({ a: 1, b: 2 }, watched())).rejects.toMatchObject({
    failure: { code: 'unavailable', message: 'The MCP server every cannot be reached.' },
  });
  const second = await everythingOverHttp(first.port);
  onTestFinished(() => second.kill());
  expect(await sum.run({ a: 1, b: 2 }, watched())).toMatch(/is 3/);
});

test('[M10] a server that forgot our session is greeted anew, also for a call that must run once', async () => {
  const first = await everythingOverHttp();
  const server = open({ name: 'every', url: first.url });
  const toggle = await find(server, 'toggle-simulated-logging');
  expect(toggle.effect).toBe('once');
  await first.kill();
  const second = await everythingOverHttp(first.port);
  onTestFinished(() => second.kill());
  expect(await toggle.run({}, watched())).toMatch(/Started simulated/);
});

test.for([
  { status: 401, code: 'unauthenticated' },
  { status: 403, code: 'refused' },
])('[M10] $status is not tried again, and the headers are sent', async ({ status, code }) => {
  const { url, requests } = await answering(status);
  const server = open({ name: 'shut', url, headers: { Authorization: 'Bearer token' } });
  await expect(server.list(signal)).rejects.toMatchObject({ failure: { code, retryable: false } });
  expect(requests).toEqual([{ authorization: 'Bearer token' }]);
});
