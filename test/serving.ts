// A whole server on loopback, for tests: real store, real engine, real sockets.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Flow, Scope } from '../src/engine/scope.ts';
import { isImpatient } from './mutants/impatient.ts';
import { createKey, newKey, type NewKey } from '../src/server/access/keys.ts';
import type { Shared } from '../src/stores/store.ts';
import { serve, type RunningServer, type ServeSettings } from '../src/server/serve.ts';

export interface Problem {
  readonly message: string;
  readonly cause: unknown;
}

export interface Serving {
  readonly url: string;
  readonly data: string;
  readonly server: RunningServer;
  /** What was logged. */
  readonly problems: readonly Problem[];
  /** Ask, and read the answer whole. */
  readonly ask: (path: string, asking?: Asking) => Promise<Answered>;
  close(): Promise<void>;
}

export interface Asking {
  readonly method?: string;
  readonly key?: string;
  readonly json?: unknown;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
  readonly headers: Headers;
}

/** Start a server in a folder of its own. It is closed and erased with the test. */
export async function serving(settings: Partial<ServeSettings> = {}): Promise<Serving> {
  const data = settings.data ?? temporaryFolder();
  const problems: Problem[] = [];
  const server = await serve({
    port: 0,
    log: { error: ({ cause }, message) => void problems.push({ message, cause }) },
    ...settings,
    data,
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= server.close());
  atEnd(close);
  return {
    url: server.url,
    data,
    server,
    problems,
    close,
    ask: (path, asking) => ask(server.url, path, asking),
  };
}

export function temporaryFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'vitrine-server-'));
  atEnd(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

/** What to do when the test is over. Files whose tests share a server do it when all are over. */
let shared: (() => void | Promise<void>)[] | undefined;

function atEnd(work: () => void | Promise<void>): void {
  if (shared) shared.push(work);
  else onTestFinished(work);
}

/** For `beforeAll`: what is made here is there for all tests of the file. Returns what undoes it. */
export async function shareServing(make: () => Promise<void>): Promise<() => Promise<void>> {
  const undo: (() => void | Promise<void>)[] = [];
  shared = undo;
  await make();
  shared = undefined;
  return async () => {
    for (const work of undo.reverse()) await work();
  };
}

async function ask(url: string, path: string, asking: Asking = {}): Promise<Answered> {
  const { json, key, headers } = asking;
  const body = json === undefined ? asking.body : JSON.stringify(json);
  const response = await fetch(`${url}${path}`, {
    method: asking.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const parsed: unknown = isJson ? JSON.parse(text) : undefined;
  return { status: response.status, text, json: parsed, headers: response.headers };
}

/** A key in a folder where no server has been yet, as earlier versions kept it: quicker than to open a store for it. */
export function keyIn(data: string, more: Partial<NewKey> = {}): string {
  const file = join(data, 'keys.json');
  const { keys } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { keys: object[] })
    : { keys: [] };
  const { record, key } = newKey({ ...someone, ...more }, Date.now());
  writeFileSync(file, JSON.stringify({ version: 1, keys: [...keys, record] }), { mode: 0o600 });
  return key;
}

/** A key for a server that runs. */
export async function keyAt(
  { server }: Pick<Serving, 'server'>,
  more: Partial<NewKey> = {},
): Promise<string> {
  return (await createKey(sharedAt({ server }), { ...someone, ...more }, Date.now())).key;
}

/** What the processes of a server's folder share. */
export function sharedAt({ server }: Pick<Serving, 'server'>): Shared {
  return server.context.home.store.shared;
}

const someone = { name: 'someone', tenant: 'local', role: 'member' } as const;

/** An app whose flow is a function. */
export function appWith(
  run: (scope: Scope, text: string) => Promise<string>,
  name = 'test',
): { readonly flow: Flow } {
  return { flow: { name, version: '1', run: (scope, { text }) => run(scope, text) } };
}

/** The ids of all frames of a stream, in the order they came. */
export function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

/** A text somewhere in an answer: `textAt(answer, 'approvals', 0, 'id')`. */
export function textAt({ json }: Answered, ...path: readonly (string | number)[]): string {
  let value: unknown = json;
  for (const part of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  if (typeof value === 'string') return value;
  throw new Error(`there is no text at ${path.join('.')} in ${JSON.stringify(json)}`);
}

/** Decide on an approval as somebody does who looks at it first. */
export async function decideOn(
  at: Pick<Serving, 'ask'>,
  approval: string,
  decision: object = { decision: 'approve' },
): Promise<Answered> {
  const fingerprint = textAt(await at.ask(`/api/approvals/${approval}`), 'fingerprint');
  return at.ask(`/api/approvals/${approval}`, { json: { fingerprint, ...decision } });
}

/** Where a mutant is judged, what does not come soon never comes. Milliseconds. */
const longest = isImpatient ? Number(process.env['PATIENCE']) : Infinity;

/** Ask again until an answer is as it should be. */
export async function untilAnswer(
  ask: () => Promise<Answered>,
  isThere: (answer: Answered) => boolean,
): Promise<Answered> {
  const end = performance.now() + longest;
  for (;;) {
    const answer = await ask();
    if (isThere(answer)) return answer;
    if (performance.now() > end) throw new Error(`Only this came: ${answer.status} ${answer.text}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
