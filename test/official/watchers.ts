// Official clients that watch a run, unmodified: each follows it, comes back the way it has, and decides what it is asked.
import { EventSource } from 'undici';
import WebSocket from 'ws';
import { foldAll, entryOf } from '../../src/run/entries.ts';
import { flatTree } from '../../src/run/flat-tree.ts';
import type { Entry } from '../../src/run/events.ts';
import { pathsOf } from './paths.ts';
import { surfaceClient } from '../a2ui/clients.ts';

/** A run as a client has it. */
export interface Seen {
  readonly status: string;
  /** What it shows as the answer, so far. */
  readonly answer: string;
  /** The titles of the steps, each with those above it. */
  readonly paths: readonly (readonly string[])[];
}

export interface Watcher {
  readonly run: string;
  seen(): Seen;
  /** As a person decides who has nothing but this client. */
  approve(): Promise<void>;
  stop(): Promise<void>;
  /** Once the client itself knows that nothing more comes. */
  readonly over: Promise<void>;
}

/** Ask something with this client, and watch what comes of it. */
export type Begin = (url: string, text: string) => Promise<Watcher>;

export const watchers: Readonly<Record<string, Begin>> = {
  EventSource: begun(eventSource),
  ws: begun(socket),
  'a2ui-0.8': begun((url, run) => surface('a2ui-0.8', url, run)),
  'a2ui-0.9': begun((url, run) => surface('a2ui-0.9', url, run)),
};

type Watching = Omit<Watcher, 'run' | 'stop'>;

/** What only watches is begun and stopped by the native API. */
function begun(watch: (url: string, run: string) => Watching): Begin {
  return async (url, text) => {
    const { run } = (await post(`${url}/api/runs`, { input: { text } })) as { run: string };
    const stop = async () => void (await post(`${url}/api/runs/${run}/stop`, {}));
    return { run, stop, ...watch(url, run) };
  };
}

function eventSource(url: string, run: string): Watching {
  const entries: Entry[] = [];
  const source = new EventSource(`${url}/api/runs/${run}/events`);
  const over = new Promise<void>((resolve) => {
    source.addEventListener('message', ({ lastEventId, data }) => {
      entries.push(entryOf(Number(lastEventId), String(data)));
    });
    // It comes back by itself until it is told that there is no more.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) resolve();
    });
  });
  return { ...native(url, entries), over };
}

function socket(url: string, run: string): Watching {
  const entries: Entry[] = [];
  const over = comingBack(url, () => {
    const path = `/ws/runs/${run}?after=${entries.at(-1)?.seq ?? 0}`;
    const client = new WebSocket(`${url.replace('http', 'ws')}${path}`);
    client.on('message', (data: Buffer) => {
      const { id, data: frame } = JSON.parse(data.toString()) as { id: number; data: object };
      entries.push(entryOf(id, JSON.stringify(frame)));
    });
    return new Promise<boolean>((resolve) => {
      client.on('error', () => undefined);
      client.on('close', () => resolve(entries.at(-1)?.event.type === 'run.ended'));
    });
  });
  return { ...native(url, entries), over };
}

/** What is told on the native wire are the entries: they are folded, each once. */
function native(url: string, entries: readonly Entry[]): Omit<Watching, 'over'> {
  const tree = () => {
    const seqs = entries.map(({ seq }) => seq);
    if (seqs.some((seq, i) => seq !== i + 1)) throw new Error(`the entries are ${seqs.join(' ')}`);
    return flatTree(foldAll(entries));
  };
  return {
    seen() {
      const { status, answer, steps } = tree();
      const writing = steps.findLast(({ title }) => title === 'Writing')?.text ?? '';
      return { status, answer: typeof answer === 'string' ? answer : writing, paths: pathsOf(steps) };
    },
    async approve() {
      const { id, fingerprint } = tree().approvals[0] ?? {};
      await post(`${url}/api/approvals/${id}`, { decision: 'approve', fingerprint });
    },
  };
}

/** An item of the surface: lists of 0.9, and what 0.8 has by keys, are read alike. */
interface Row {
  readonly title: string;
  readonly text?: string;
  readonly children?: object;
  readonly choices?: object;
  readonly blocks?: object;
  readonly id?: string;
}

function surface(version: 'a2ui-0.8' | 'a2ui-0.9', url: string, run: string): Watching {
  const client = surfaceClient(version, run);
  const over = comingBack(url, async () => {
    const response = await fetch(`${url}/${version.replace('-', '/')}/runs/${run}`);
    for await (const data of dataLines(response)) client.take(data);
    return statusOf(client.state()) !== 'running';
  });
  const rows = (list: object | undefined): Row[] => Object.values(list ?? {}) as Row[];
  const path = ({ title, children }: Row, above: readonly string[]): string[][] => [
    [...above, title],
    ...rows(children).flatMap((child) => path(child, [...above, title])),
  ];
  const data = () => dataOf(client.state());
  return {
    over,
    seen: () => ({
      status: statusOf(client.state()),
      answer: rows(data().output)
        .flatMap(({ blocks }) => rows(blocks))
        .map(({ text = '' }) => text)
        .join(''),
      paths: rows(data().steps).flatMap((row) => path(row, [])),
    }),
    async approve() {
      const [row] = rows(rows(data().approvals)[0]?.choices);
      const context = { approvalId: row?.id, decision: 'approve' };
      const about = { name: 'decide', surfaceId: run, sourceComponentId: 'approve' };
      const action = { ...about, timestamp: new Date(0).toISOString(), context };
      const body = version === 'a2ui-0.8' ? { userAction: action } : { version: 'v0.9', action };
      await post(`${url}/api/runs/${run}/a2ui/actions`, body);
    },
  };
}

interface Data {
  readonly status?: string;
  readonly steps?: object;
  readonly output?: object;
  readonly approvals?: object;
}

function dataOf(state: unknown): Data {
  return (state as { data?: Data } | undefined)?.data ?? {};
}

function statusOf(state: unknown): string {
  const { status = '' } = dataOf(state);
  if (status.startsWith('waiting')) return 'waiting';
  return /^(completed|failed|stopped)/.exec(status)?.[0] ?? 'running';
}

/** Follows, and follows again whatever broke it, until it knows the end. */
async function comingBack(url: string, follow: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const isOver = await follow().catch(() => false);
    if (isOver) return;
    await untilUp(url);
  }
}

/** Waits for a server that is started again. */
export async function untilUp(url: string): Promise<void> {
  for (;;) {
    const { ok } = await fetch(`${url}/healthz`).catch(() => ({ ok: false }));
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function* dataLines({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body ?? []) {
    rest += decoder.decode(bytes as Uint8Array, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield line.slice('data: '.length);
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return response.json();
}
