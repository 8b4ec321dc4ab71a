// Everything that anybody can get of a run, and everything that is left of it in a folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import WebSocket from 'ws';
import { ownProtocols } from '../src/projections/own-protocols.ts';
import type { ListedRun } from '../src/wire/native/runs.ts';
import type { Serving } from './serving.ts';

/** Every file of a folder as bytes. */
export function bytesIn(folder: string): readonly Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}

function heardOn(at: Serving, path: string, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`, { headers });
  let heard = '';
  return new Promise((resolve, reject) => {
    socket.on('message', (data: Buffer) => void (heard += `${data.toString()}\n`));
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

/** What every client gets of a run: each protocol, each list, each socket. */
export async function everyWay(at: Serving, run: string, key?: string): Promise<readonly string[]> {
  const asking = key === undefined ? {} : { key };
  const get = async (path: string): Promise<string> => {
    const { status, text } = await at.ask(path, asking);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
    return text;
  };
  const { runs } = JSON.parse(await get('/api/runs?limit=100')) as { runs: readonly ListedRun[] };
  const conversation = runs.find((listed) => listed.run === run)?.conversation;
  if (conversation === undefined) throw new Error(`${run} is not in the list`);
  const paths = [
    ...Object.keys(ownProtocols).map((as) => `/api/runs/${run}/events?as=${as}`),
    `/api/runs/${run}`,
    `/workflows/execution/${run}/steps`,
    `/api/conversations/${conversation}`,
    `/api/sessions/${conversation}`,
    `/api/sessions/${conversation}/stream`,
    `/api/sessions/${conversation}/stream?as=console-dotted`,
    '/api/runs',
    '/api/approvals',
  ];
  // One after the other: a server makes only so many large answers at once, and refuses the rest.
  const heard = [await entriesOf(run, get)];
  for (const path of paths) heard.push(await get(path));
  for (const path of [`/ws/runs/${run}`, `/ws/execution/${run}`]) heard.push(await heardOn(at, path, key));
  const blobs = new Set(Array.from(heard.join('').matchAll(/"blob":"([0-9a-f]{64})"/g), ([, blob]) => blob));
  for (const blob of blobs) heard.push(await get(`/api/files/${blob}`));
  return heard;
}

/** The journal, page by page. */
async function entriesOf(run: string, get: (path: string) => Promise<string>): Promise<string> {
  let all = '';
  for (let next: number | null = 0; next !== null;) {
    const page: string = await get(`/api/runs/${run}/entries?after=${next}`);
    all += page;
    ({ next } = JSON.parse(page) as { next: number | null });
  }
  return all;
}
