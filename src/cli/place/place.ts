import { resolve } from 'node:path';
import { askFor } from '../../client/ask.ts';
import type { ServerAddress } from '../../client/client.ts';
import { RunError } from '../../run/failure.ts';
import type { FolderSettings } from '../../server/compose/compose.ts';
import { readLocalKey } from '../../server/access/local-key.ts';
import { isLocal } from '../../server/access/honest.ts';
import { addressIn, isHeld as isFolderHeld } from '../../server/folder/reach-folder.ts';
import { readHolder } from '../../wire/native/folder.ts';
import type { Given } from '../command.ts';
import { Refusal } from '../../wire/native/refusal.ts';
import { askedOver } from './asked-over.ts';
import type { Folder } from './beside.ts';
import { enterHome, lookAround } from './enter.ts';
import { emptyHanded, type Reached, type TerminalHome } from './terminal-home.ts';
import { dataOf, folderOf, usualFolder } from '../data-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { present } from '../../run/tree.ts';

/** Where runs are: in a data folder here, or at a server. */
export type Place = (FolderSettings & Folder) | ServerAddress;

/** What says where something runs here, and so cannot be said of a server. */
const ownOptions = ['data', 'tenant', 'config', 'files', 'mcp', 'model', 'base-url', 'protocol'];

/** For commands that tell a run something: no configuration is loaded for them. */
export function placeOf(given: Given, terminal: Terminal): Place {
  return serverOf(given) ?? { ...folderOf(given, terminal), tenant: given.text('tenant') };
}

/** The server that is meant, if one is. What was typed goes before what was set. */
export function serverOf(given: Given): ServerAddress | undefined {
  const typed = given.text('server');
  const own = ownOptions.find((option) => given.text(option) !== undefined);
  if (typed !== undefined && own !== undefined)
    throw new RunError('malformed', `--${own} is for what runs here: leave it out, or leave out --server.`);
  const url = typed ?? (own === undefined ? process.env['VITRINE_SERVER'] : undefined);
  if (url === undefined || url === '') return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new RunError('malformed', `The server is «${url}»: give an address like http://127.0.0.1:4177.`);
  return { url, ...present({ key: process.env['VITRINE_KEY'] }) };
}

/** For commands about a folder itself: who means a server is not to get what happens to be here. */
export function ownFolder(given: Given): string {
  const url = process.env['VITRINE_SERVER'] ?? '';
  if (url === '' || ['data', 'backup'].some((option) => given.text(option) !== undefined))
    return dataOf(given);
  throw new RunError(
    'malformed',
    'This is done where the folder is, not at a server, and VITRINE_SERVER is set: say which folder with --data.',
  );
}

/** Come to a place to do something there. */
export async function enter(place: Place, { warn }: Pick<Terminal, 'warn'>): Promise<TerminalHome> {
  return 'url' in place ? atServer(place) : enterHome(place, warn);
}

async function atServer(given: ServerAddress): Promise<TerminalHome> {
  const known = await withKey(given);
  const server: ServerAddress = {
    ...known,
    async fetch(input, init) {
      const answer = await fetch(input, init);
      if (answer.status === 401) throw await turnedAway(known, answer);
      return answer;
    },
  };
  return {
    ...askedOver(server),
    ...emptyHanded,
    server,
    // What is secret is known to the server, which has cleaned what it sends.
    clean: (text) => text,
    away: async () => {},
    close: async () => {},
    isHolder: false,
    isGone: () => false,
    notices: [],
    listen: () => () => {},
    // What becomes of a run is the server's business, and told in its journal.
    takeUp: async () => true,
    standing: async () => ({ is: 'working' }),
  };
}

/** A terminal elsewhere does not find the key that a server made for itself. */
async function turnedAway({ url, key }: ServerAddress, answer: Response): Promise<RunError> {
  const told = Refusal.safeParse(await answer.json().catch(() => undefined)).data?.error.message ?? '';
  const why = key === undefined ? `${url} asks for a key` : `${url} does not take the key: ${told}`;
  const fix =
    'Set VITRINE_KEY to a key of that server: «vitrine keys create <name>» makes one where its folder is; with --private, local.key there has one.';
  return new RunError('unauthenticated', `${why.replace(/[.: ]*$/, '.')} ${fix}`);
}

/**
 * The key of the folder here, for the server that serves this folder. It goes to no other: whoever listens at an address
 * may be somebody else, so the process that holds the folder says which one is its own.
 */
async function withKey(server: ServerAddress): Promise<ServerAddress> {
  const folder = resolve(usualFolder);
  const key = server.key === undefined ? readLocalKey(folder) : undefined;
  const own = key === undefined ? undefined : await servedAt(folder);
  return own !== undefined && isSame(own, server.url) ? { ...server, ...present({ key }), url: own } : server;
}

/** Where the process that holds a folder serves it; undefined when it does not, or nobody holds it. */
async function servedAt(folder: string): Promise<string | undefined> {
  if (!(await isFolderHeld(folder))) return undefined;
  return (await askFor(addressIn(folder), readHolder, {})).url ?? undefined;
}

function isSame(own: string, asked: string): boolean {
  const { hostname, port, pathname } = new URL(asked);
  return isLocal(hostname) && port === new URL(own).port && pathname === '/';
}

/** Whether somebody works there: a server does, a folder only has somebody who does. */
export async function isHeld(given: Given): Promise<boolean> {
  if (serverOf(given)) return true;
  return isFolderHeld(dataOf(given));
}

/** Come to a place to look, and to change nothing. */
export async function lookIn(given: Given): Promise<Reached> {
  const server = serverOf(given);
  return server ? atServer(server) : lookAround({ data: dataOf(given), tenant: given.text('tenant') });
}
