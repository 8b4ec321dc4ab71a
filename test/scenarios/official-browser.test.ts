// Official clients where most of them live: in a real browser, on one page, each cut off ten times at random frames.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, test } from 'vitest';
import type { Client, ClientName } from '../official/page.ts';
import { describeInBrowser } from '../browser.ts';
import { teamServer } from '../official/openai.ts';
import { ordersIn, teamAnswer, teamTree } from '../official/team.ts';
import { Chance } from '../random.ts';

type InPage = typeof globalThis & { readonly clients: Readonly<Record<ClientName, Client>> };

/** Each with the most frames that it hears at once: those without a cursor hear again what they had. */
const most: Readonly<Record<ClientName, number>> = {
  EventSource: 3,
  WebSocket: 3,
  'ag-ui': 12,
  'ai-sdk': 12,
  'openai-chat': 12,
  'openai-responses': 3,
};
const names = Object.keys(most) as ClientName[];

async function built(): Promise<string> {
  const entry = fileURLToPath(new URL('../official/page.ts', import.meta.url));
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'official' } },
  });
  const [chunk] = (Array.isArray(made) ? made[0]?.output : undefined) ?? [];
  if (chunk?.type !== 'chunk') throw new Error('nothing was built');
  return chunk.code;
}

describeInBrowser('official clients in a browser', (browser) => {
  test('[PR31] each, cut off ten times at random frames, ends where the journal does', async () => {
    const [at, script] = [await teamServer(), await built()];
    const page = await browser().newPage({ bypassCSP: true });
    const printed: string[] = [];
    page.on('console', (message) => printed.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => printed.push(String(error)));
    // A page that the server itself has served: to one that was put in, the browser refuses sockets to a machine so near.
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await page.goto(`${at.url}/healthz`);
    await page.evaluate(script);
    const chance = new Chance(31);
    for (const name of names) {
      const cuts = Array.from({ length: 10 }, () => chance.between(1, most[name]));
      const shown = await page.evaluate(
        ([which, text, all]) =>
          (globalThis as InPage).clients[which as ClientName](text as string, all as number[]),
        [name, `Frankenstein for ${name}`, cuts] as const,
      );
      const end = name === 'ai-sdk' ? 'ready' : 'completed';
      expect({ name, ...shown }).toEqual({ name, status: end, answer: teamAnswer, paths: teamTree });
    }
    expect(ordersIn(at.folder)).toHaveLength(names.length);
    expect(printed).toEqual([]);
    await page.close();
  });
});
