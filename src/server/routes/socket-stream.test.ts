import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { appWith, serving, textAt } from '../../../test/serving.ts';
import { socketFetch, vitrineClient, type Client } from '../../client/client.ts';

const config = {
  apps: {
    echo: appWith((_, text) => Promise.resolve(`you said ${text} ✓`), 'echo'),
    asks: appWith(async (scope) => {
      const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: {} });
      return decision;
    }, 'asks'),
  },
  defaultApp: 'echo',
};

/** A client as the page has it, and what it asked for with plain requests. */
function paged(url: string): { readonly client: Client; readonly plain: string[] } {
  const plain: string[] = [];
  const client = vitrineClient({
    url,
    fetch: socketFetch((address, request) => {
      plain.push(new URL(address instanceof Request ? address.url : address).pathname);
      return fetch(address, request);
    }),
  });
  return { client, plain };
}

describe('[N40] a stream over a socket', () => {
  test('brings a run as the plain one does, from any entry on, and ends with it', async () => {
    const at = await serving({ config });
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'ferns' } } }), 'run');
    await at.ask(`/api/runs/${run}/events`);
    const { client, plain } = paged(at.url);
    const all = await Array.fromAsync(vitrineClient({ url: at.url }).entries(run));
    expect(await Array.fromAsync(client.entries(run))).toEqual(all);
    expect(await Array.fromAsync(client.entries(run, { after: 2 }))).toEqual(all.slice(2));
    expect(await Array.fromAsync(client.entries(run, { after: all.length }))).toEqual([]);
    expect(plain).toEqual([]);
  });

  test('says how much is on its way', async () => {
    const at = await serving({ config });
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'ferns' } } }), 'run');
    await at.ask(`/api/runs/${run}/events`);
    const { client } = paged(at.url);
    const store = client.watch(run);
    onTestFinished(() => store.close());
    const stood = new Set<string>();
    store.subscribe(() => void stood.add(store.getSnapshot().connection.is));
    await vi.waitFor(() => expect(store.getSnapshot().connection.is).toBe('over'));
    expect(stood).toContain('catching up');
  });

  test('brings the feed, and is closed by whoever leaves', async () => {
    const at = await serving({ config });
    const { client, plain } = paged(at.url);
    const leaving = new AbortController();
    const told: string[] = [];
    const following = (async () => {
      for await (const { run } of client.feed({ signal: leaving.signal })) told.push(run?.title ?? '');
    })();
    await at.ask('/api/runs', { json: { app: 'asks', input: { text: 'water' } } });
    await vi.waitFor(() => expect(told).toContain('water'));
    leaving.abort();
    await following;
    expect(plain).toEqual([]);
  });

  test('that is refused is refused with its reason', async () => {
    const at = await serving({ config });
    const { client } = paged(at.url);
    await expect(Array.fromAsync(client.entries('run_nope'))).rejects.toThrow('There is no run «run_nope».');
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'ferns' } } }), 'run');
    expect(await Array.fromAsync(client.entries(run))).not.toEqual([]);
  });

  test('is a plain one where no socket can be opened, and not tried again', async () => {
    const at = await serving({ config });
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'ferns' } } }), 'run');
    let tried = 0;
    class Closed extends EventTarget {
      onclose: (() => void) | null = null;
      constructor() {
        super();
        tried += 1;
        setImmediate(() => this.onclose?.());
      }
    }
    vi.stubGlobal('WebSocket', Closed);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { client, plain } = paged(at.url);
    for (let i = 0; i < 2; i += 1) expect(await Array.fromAsync(client.entries(run))).not.toEqual([]);
    expect({ tried, plain }).toEqual({ tried: 1, plain: Array(2).fill(`/api/runs/${run}/events`) });
  });

  test('is a plain one where something else speaks on the socket', async () => {
    const other = new WebSocketServer({ port: 0 });
    onTestFinished(() => other.close());
    other.on('connection', (socket) => socket.send('Welcome!'));
    const { port } = other.address() as AddressInfo;
    const streaming = socketFetch(async () => new Response('plain'));
    const headers = { accept: 'text/event-stream' };
    const response = await streaming(`http://127.0.0.1:${port}/api/feed`, { headers });
    expect(await response.text()).toBe('plain');
  });
});
