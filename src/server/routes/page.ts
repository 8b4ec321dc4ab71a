import type { IncomingMessage } from 'node:http';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { RunError } from '../../run/failure.ts';
import type { Source } from '../access/honest.ts';
import { pagePolicy } from '../http/headers.ts';
import { route, type Reply, type Route } from './route.ts';

/** Beside the sources in a checkout, and at the same place in the package. */
const built = new URL('../../../web/dist/', import.meta.url);

/** Where the app has a screen. Whoever comes back to one of these addresses gets the app, which finds its way from there. */
const screens = [
  '/',
  '/c/:conversation',
  '/home',
  '/runs',
  '/runs/:run',
  '/runs/:run/steps/:step',
  '/runs/:run/canvas',
  '/workflows',
  '/workflows/:name',
  '/apps',
  '/apps/:name',
  '/apps/:name/chat',
  '/approvals',
  '/api',
];

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

interface BuiltFile {
  readonly type: string;
  readonly content: Buffer;
  readonly packed: Buffer;
}

let read: ReadonlyMap<string, BuiltFile> | undefined;
/** By what stands before their addresses. */
const pages = new Map<string, BuiltFile>();

const shared = { method: 'GET', tag: 'page', role: 'viewer', addresses: 'anyone' } as const;

/** The web app. It holds nothing of anybody, so anybody may have it. */
export const pageRoutes: readonly Route[] = [
  ...screens.map((path) =>
    route({
      ...shared,
      path,
      about: 'The web app.',
      answers: { 200: { about: 'The page.', type: 'text/html' } },
      handle: ({ header, source }) => page(source, header('accept-encoding')),
    }),
  ),
  route({
    ...shared,
    path: '/assets/:file',
    about: 'A part of the web app.',
    answers: { 200: { about: 'The file.', type: '*/*' } },
    // Its name has a hash of what is in it.
    handle: ({ params, header }) =>
      sent(fileNamed(`assets/${params['file']}`), header('accept-encoding'), {
        'cache-control': 'public, max-age=31536000, immutable',
      }),
  }),
];

/** For whoever follows a link that leads nowhere: the app says so, and where else to go. Programs get a refusal. */
export function pageNowhere(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  source: Pick<Source, 'prefix'>,
): Reply | undefined {
  if (method !== 'GET' || !/\btext\/html\b/.test(headers.accept ?? '') || !isBuilt()) return undefined;
  return { ...page(source, headers['accept-encoding']?.toString()), status: 404 };
}

function page({ prefix }: Pick<Source, 'prefix'>, accepted: string | undefined): Reply {
  const found = pages.get(prefix) ?? pageBelow(prefix);
  pages.set(prefix, found);
  return sent(found, accepted, { 'content-security-policy': pagePolicy });
}

/** The build names what is beside it from where it is, and the page is answered at many addresses. */
function pageBelow(prefix: string): BuiltFile {
  const { type, content } = fileNamed('index.html');
  return fileOf(type, Buffer.from(content.toString().replaceAll('="./', `="${prefix}/`)));
}

function sent(
  { type, content, packed }: BuiltFile,
  accepted: string | undefined,
  headers: Readonly<Record<string, string>>,
): Reply {
  const isPacked = /\bgzip\b/.test(accepted ?? '');
  return {
    status: 200,
    bytes: { type, content: isPacked ? packed : content },
    headers: { ...headers, vary: 'accept-encoding', ...(isPacked ? { 'content-encoding': 'gzip' } : {}) },
  };
}

function fileNamed(name: string): BuiltFile {
  read ??= readBuilt();
  const file = read.get(name);
  if (file) return file;
  throw new RunError('unknown', `There is no ${name} in the web app.`);
}

function isBuilt(): boolean {
  return existsSync(new URL('index.html', built));
}

/** All at once: whoever has the page of one build gets the parts of that build, also when there is a newer one. */
function readBuilt(): ReadonlyMap<string, BuiltFile> {
  if (!isBuilt())
    throw new RunError(
      'unready',
      'The web app is not built: run «node scripts/build-web.ts», or «npm start».',
    );
  const names = readdirSync(new URL('assets/', built)).map((name) => `assets/${name}`);
  return new Map(['index.html', ...names].map((name) => [name, readFile(name)]));
}

function readFile(name: string): BuiltFile {
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return fileOf(type, readFileSync(new URL(name, built)));
}

function fileOf(type: string, content: Buffer): BuiltFile {
  return { type, content, packed: gzipSync(content) };
}
