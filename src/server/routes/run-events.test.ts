import { connect } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { sized } from '../../../test/long.ts';
import {
  decideOn,
  appWith,
  idsIn,
  serving,
  shareServing,
  textAt,
  untilAnswer,
  type Serving,
} from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';
import { ownProtocols } from '../../projections/own-protocols.ts';
import { RunError } from '../../run/failure.ts';
import { safeHeaders } from '../http/headers.ts';
import { sseReader } from '../../wire/sse.ts';

const protocols = ['steps', 'console', 'console-dotted', 'execution'];

const nasty = 'CR\r LF\n CRLF\r\n sep\u2028 id: 9\n\ndata: {}\n\nevent: done\n\n';

const apps = {
  broken: appWith(async (scope) => {
    await scope
      .step({ key: 'a', title: nasty, kind: nasty, agent: nasty, query: nasty }, async (step) => {
        step.attach({ kind: 'citation', title: nasty, url: nasty, quote: nasty });
        await step.step({ key: nasty, title: nasty }, () =>
          Promise.reject(new RunError('unavailable', nasty)),
        );
      })
      .catch(() => undefined);
    await scope.ask({ key: 'q', title: nasty, message: nasty, arguments: { [nasty]: nasty } });
    throw new RunError('unavailable', nasty);
  }, 'broken'),
  works: appWith(async (scope, text) => {
    await scope.step({ key: 'a', title: nasty, icon: nasty }, async (step) => {
      for (let i = 0; i < 20; i += 1) step.say(`${text} ${i} ${nasty}`);
      step.notice('NASTY', nasty);
    });
    return nasty;
  }, 'works'),
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

const ownHouse = (): Promise<Serving> => serving({ config: { apps, defaultApp: 'works' } });
let shared: Serving;
beforeAll(() =>
  shareServing(async () => {
    shared = await ownHouse();
  }),
);
const house = (): Serving => shared;

async function finished(at: Serving): Promise<string> {
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'hello' } } }), 'run');
  await at.ask(`/api/runs/${run}/events`);
  return run;
}

async function asking(at: Serving): Promise<string> {
  const run = textAt(await at.ask('/api/runs', { json: { app: 'asks', input: { text: 'x' } } }), 'run');
  await untilAnswer(
    () => at.ask('/api/approvals'),
    ({ text }) => text.includes(run),
  );
  return run;
}

describe('a stream', () => {
  test.for(protocols)(
    '[L2] of %s, cut at any cursor and resumed, is the whole, byte for byte',
    async (as) => {
      const at = house();
      const run = await finished(at);
      const { text: whole } = await at.ask(`/api/runs/${run}/events?as=${as}`);
      const head = idsIn(whole).at(-1) ?? 0;
      for (let after = 0; after < head; after += 1) {
        const { text: rest } = await at.ask(`/api/runs/${run}/events?as=${as}&after=${after}`);
        const place = whole.length - rest.length;
        expect(whole.slice(0, place) + rest).toBe(whole);
        expect(Math.max(0, ...idsIn(whole.slice(0, place)))).toBeLessThanOrEqual(after);
        expect(Math.min(...idsIn(rest))).toBeGreaterThan(after);
      }
    },
  );

  test.for(protocols)(
    'of %s carries an id on the last frame of an entry alone, and on the terminal one',
    async (as) => {
      const at = house();
      const run = await finished(at);
      const { text } = await at.ask(`/api/runs/${run}/events?as=${as}`);
      const ids = idsIn(text);
      expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
      const tree = await at.ask(`/api/runs/${run}`);
      expect(tree.json).toMatchObject({ seq: ids.at(-1) });
      expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^id: \d+$/m);
    },
  );

  test.for(protocols)('[S15] of %s cannot be broken by what names and texts hold', async (as) => {
    const at = house();
    const run = await finished(at);
    const { text } = await at.ask(`/api/runs/${run}/events?as=${as}`);
    const frames = text.split('\n\n').filter((frame) => frame !== '');
    let events = 0;
    sseReader().read(Buffer.from(text), ({ data }) => {
      events += 1;
      JSON.parse(data);
    });
    expect(events).toBe(frames.length);
    expect(text).not.toMatch(/\r/);
    for (const frame of frames) expect(frame).toMatch(/^((id|event|data): [^\n]*\n?)+$/);
  });

  test.for(protocols)(
    '[S15] of %s cannot be broken by names, questions, reasons and failures',
    async (as) => {
      const at = house();
      const json = { app: 'broken', input: { text: nasty }, labels: { [nasty]: nasty } };
      const run = textAt(await at.ask('/api/runs', { json }), 'run');
      await untilAnswer(
        () => at.ask(`/api/approvals?run=${run}`),
        ({ text }) => text.includes('fingerprint'),
      );
      await at.ask(`/api/runs/${run}/messages`, { json: { text: nasty } });
      await at.ask(`/api/runs/${run}/pause`, { json: { reason: nasty } });
      await at.ask(`/api/runs/${run}/resume`, { json: { reason: nasty } });
      await decideOn(at, `${run}.a1`, { decision: 'approve', rationale: nasty });
      const { text } = await at.ask(`/api/runs/${run}/events?as=${as}`);
      const frames = text.split('\n\n').filter((frame) => frame !== '');
      const read: string[] = [];
      sseReader().read(Buffer.from(text), ({ data }) => {
        JSON.parse(data);
        read.push(data);
      });
      expect(read.length).toBe(frames.length);
      expect(text).not.toMatch(/\r|\u2028\n/);
      for (const frame of frames) expect(frame).toMatch(/^((id|event|data): [^\n]*\n?)+$/);
      for (const id of idsIn(text)) expect(Number.isSafeInteger(id)).toBe(true);
      expect(read.join('')).toContain('data: {}');
    },
  );

  test('honours Last-Event-ID before the address, and ends with 204 when nothing is left', async () => {
    const at = house();
    const run = await finished(at);
    const path = `/api/runs/${run}/events`;
    const { text: whole } = await at.ask(path);
    const head = idsIn(whole).at(-1) ?? 0;
    const resumed = await at.ask(`${path}?after=1`, { headers: { 'last-event-id': '5' } });
    expect(idsIn(resumed.text)[0]).toBe(6);
    expect((await at.ask(`${path}?after=${run}:5`)).text).toBe(resumed.text);
    expect((await at.ask(`${path}?after=${head}`)).status).toBe(204);
    expect((await at.ask(path, { headers: { 'last-event-id': `${head}` } })).status).toBe(204);
  });

  test.for([
    ['in the future', '?after=9999', 409],
    ['of another run', '?after=run_other:2', 409],
    ['negative', '?after=-1', 400],
    ['no number', '?after=NaN', 400],
    ['a fraction', '?after=1.5', 400],
    ['huge', `?after=${'9'.repeat(40)}`, 400],
    ['given twice', '?after=1&after=2', 400],
    ['of an unknown protocol', '?as=telepathy', 400],
    ['of a protocol that every object has', '?as=constructor', 400],
    ['with a depth that is none', '?depth=deep', 400],
  ] as const)('[R14] with a cursor %s is refused with a sentence', async ([, query, status]) => {
    const at = house();
    const run = await finished(at);
    const answer = await at.ask(`/api/runs/${run}/events${query}`);
    expect(answer.status).toBe(status);
    expect(textAt(answer, 'error', 'message')).toMatch(/\.$/);
  });

  test('shows what a viewer prefers to see, and its cursors hold', async () => {
    const at = house();
    const run = await finished(at);
    const path = `/api/runs/${run}/events?depth=0`;
    const { text } = await at.ask(path);
    expect(text).not.toContain('step.opened');
    expect(text).toContain('run.ended');
    const [first = 0] = idsIn(text);
    expect(text.endsWith((await at.ask(`${path}&after=${first}`)).text)).toBe(true);
  });

  test('is plain for clients that know no chunks', async () => {
    const at = house();
    const run = await finished(at);
    const { text: whole } = await at.ask(`/api/runs/${run}/events`);
    const { hostname, port } = new URL(at.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET /api/runs/${run}/events HTTP/1.0\r\nHost: ${hostname}:${port}\r\n\r\n`),
      );
      let text = '';
      socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).not.toContain('chunked');
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(whole);
  });

  test('stays open while a run waits for a person, for several protocols at once', async () => {
    const at = house();
    const run = await asking(at);
    const viewers = protocols.map((as) =>
      streamViewer({ url: at.url, path: `/api/runs/${run}/events?as=${as}` }),
    );
    await Promise.all(viewers.map((viewer) => viewer.until((body) => body.includes('May I?'))));
    await decideOn(at, `${run}.a1`);
    await Promise.all(viewers.map(({ closed }) => closed));
    for (const { isWhole } of viewers) expect(isWhole).toBe(true);
  });

  test('[R17] that is cut before anything came can be had from the start', async () => {
    const at = await ownHouse();
    const run = await finished(at);
    const { text: whole } = await at.ask(`/api/runs/${run}/events`);
    for (let i = 0; i < sized(50, 200); i += 1) {
      const viewer = streamViewer({ url: at.url, path: `/api/runs/${run}/events` });
      viewer.socket.once('connect', () => viewer.socket.resetAndDestroy());
      await viewer.closed;
    }
    expect((await at.ask(`/api/runs/${run}/events`)).text).toBe(whole);
    await vi.waitFor(() => expect(at.server.context.channels.count().viewers).toBe(0));
    expect(at.server.context.streams.size).toBe(0);
    expect(at.problems).toEqual([]);
  });

  test('[R16] of any protocol says goodbye when the server goes away, and nothing that looks like a frame', async () => {
    const at = await ownHouse();
    const run = await asking(at);
    const viewers = await Promise.all(
      Object.keys(ownProtocols).map(async (as) => {
        const whole = streamViewer({ url: at.url, path: `/api/runs/${run}/events?as=${as}` });
        // What has no frame of its own for a question has told all when the run waits.
        await whole.until((body) => body.includes('\n\n'));
        return { as, whole };
      }),
    );
    const { seq } = (await at.ask(`/api/runs/${run}`)).json as { readonly seq: number };
    await at.close();
    for (const { as, whole } of viewers) {
      await whole.closed;
      expect(whole.isWhole, as).toBe(true);
      const [, frames = '', farewell] = /^(.*\n\n)(: .*\nretry: \d+\n\n)$/s.exec(whole.body) ?? [];
      expect(farewell, as).toBeDefined();
      const ids = idsIn(frames);
      expect(ids, as).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
      // A cursor is an entry of the journal, and none but such.
      expect(Math.max(...ids), as).toBeLessThanOrEqual(seq);
    }
  });
});

describe('a socket', () => {
  function messages(url: string): Promise<{ readonly texts: readonly string[]; readonly code: number }> {
    const socket = new WebSocket(url.replace('http', 'ws'));
    const texts: string[] = [];
    return new Promise((resolve, reject) => {
      socket.on('message', (data: Buffer) => texts.push(data.toString()));
      socket.on('close', (code) => resolve({ texts, code }));
      socket.on('error', reject);
    });
  }

  test.for(protocols)('of %s has the frames and the cursors of the stream', async (as) => {
    const at = house();
    const run = await finished(at);
    const { text } = await at.ask(`/api/runs/${run}/events?as=${as}&after=4`);
    const expected: unknown[] = [];
    let lastId = '';
    sseReader().read(Buffer.from(text), ({ id, event, data }) => {
      const own = id === lastId ? {} : { id: Number(id) };
      lastId = id;
      const parsed: unknown = JSON.parse(data);
      expected.push({ ...own, ...(event === 'message' && as !== 'console' ? {} : { event }), data: parsed });
    });
    const { texts, code } = await messages(`${at.url}/ws/runs/${run}?as=${as}&after=4`);
    expect(code).toBe(1000);
    expect(texts.map((each): unknown => JSON.parse(each))).toEqual(expected);
    expect(await messages(`${at.url}/ws/runs/${run}?after=${idsIn(text).at(-1)}`)).toEqual({
      texts: [],
      code: 1000,
    });
  });

  test('of an execution gets envelopes, and the steps are listed', async () => {
    const at = house();
    const run = await finished(at);
    const { texts } = await messages(`${at.url}/ws/execution/${run}`);
    const envelopes = texts.map(
      (text) => JSON.parse(text) as { readonly event: string; readonly run_id: string },
    );
    expect(envelopes[0]).toMatchObject({
      event: 'run_started',
      run_id: run,
      step_id: null,
      payload: { workflow_id: 'works' },
    });
    expect(envelopes.at(-1)).toMatchObject({ event: 'run_completed', payload: { status: 'completed' } });
    const steps = await at.ask(`/workflows/execution/${run}/steps`);
    expect(steps.json).toMatchObject({
      run_id: run,
      workflow_id: 'works',
      completed_at: expect.any(String),
      steps: [{ step_id: 's1', status: 'completed', step_type: 'transform' }],
    });
  });

  test.for([
    ['/ws/runs/nope', 404],
    ['/ws/nothing', 404],
    ['/ws/runs/%E0%A4%A', 400],
  ] as const)('at %s is refused before it is one', async ([path, status]) => {
    const at = house();
    await expect(messages(`${at.url}${path}`)).rejects.toThrow(`${status}`);
  });

  test.for([
    ['no key', 'Sec-WebSocket-Version: 13\r\n'],
    ['a key that is none', 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n'],
    ['another version', 'Sec-WebSocket-Version: 7\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'],
    [
      'a protocol that is none',
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ,\r\n',
    ],
  ] as const)('[V12] of a real run with %s is refused like everything else', async ([, rest]) => {
    const at = house();
    const run = await finished(at);
    const { host, hostname, port } = new URL(at.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.write(
      `GET /ws/runs/${run} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${rest}\r\n`,
    );
    let answer = '';
    for await (const piece of socket) answer += String(piece);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    for (const [name, value] of Object.entries(safeHeaders)) expect(head).toContain(`${name}: ${value}`);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'malformed' } });
  });
});
