import { readFileSync } from 'node:fs';
import { pagePolicy } from '../http/headers.ts';
import { route, type Route } from './route.ts';

const files = [
  { path: '/', name: 'index.html', type: 'text/html; charset=utf-8' },
  ...['page.js', 'ask.js', 'approval.js', 'draw.js', 'items.js', 'pictures.js', 'visible.js', 'words.js'].map(
    (name) => ({
      path: `/${name}`,
      name,
      type: 'text/javascript; charset=utf-8',
    }),
  ),
  { path: '/page.css', name: 'page.css', type: 'text/css; charset=utf-8' },
];

/** A small page that follows the newest run. It holds nothing of anybody, so anybody may have it. */
export const pageRoutes: readonly Route[] = files.map(({ path, name, type }) => {
  let content: Buffer | undefined;
  return route({
    method: 'GET',
    path,
    about: name === 'index.html' ? 'A page that follows the newest run.' : 'A part of the page.',
    tag: 'page',
    role: 'viewer',
    addresses: 'anyone',
    answers: { 200: { about: 'The file.', type: type.split(';', 1)[0] ?? type } },
    handle() {
      content ??= readFileSync(new URL(`../page/${name}`, import.meta.url));
      return { status: 200, bytes: { type, content }, headers: { 'content-security-policy': pagePolicy } };
    },
  });
});
