// A server that asks for a key on this machine, too: as its owner meets it in the terminal and in the browser.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { temporaryFolder } from '../serving.ts';
import { start, vitrine, type Running } from '../vitrine.ts';

interface Private {
  readonly cwd: string;
  readonly url: string;
  readonly link: string;
  readonly key: string;
  readonly server: Running;
}

async function privately(command: 'serve' | 'demo' = 'serve'): Promise<Private> {
  const cwd = temporaryFolder();
  const server = start([command, '--private', '--port', '0'], { cwd });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  const told = await server.until('#sign-in=');
  const [, url = ''] = /listens on (\S+)/.exec(told) ?? [];
  const [link = ''] = /http\S+#sign-in=\S+/.exec(told) ?? [];
  const [, file = ''] = /yours is in (\S+)/.exec(told) ?? [];
  expect(file).toBe(join(cwd, '.vitrine', 'local.key'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = readFileSync(file, 'utf8').trim();
  expect(told).not.toContain(key);
  return { cwd, url, link, key, server };
}

test('[V30] --private: nobody comes in without a key, the terminal of its owner does', async () => {
  const { cwd, url, key } = await privately();
  expect((await fetch(`${url}/api/runs`)).status).toBe(401);
  const ran = await vitrine(['run', 'hello', '--app', 'tour', '--yes', '--server', url], { cwd });
  expect([ran.code, ran.error]).toEqual([0, '']);
  const named = url.replace('127.0.0.1', 'localhost');
  expect((await vitrine(['runs', '--server', named], { cwd })).out).toContain('hello');
  // Elsewhere there is no such folder, and no key.
  const stranger = await vitrine(['runs', '--server', url], { cwd: temporaryFolder() });
  expect([stranger.code, stranger.error]).toEqual([1, expect.stringMatching(/asks for a key.*VITRINE_KEY/)]);
  const given = { cwd: temporaryFolder(), env: { VITRINE_KEY: key } };
  expect((await vitrine(['runs', '--server', url], given)).code).toBe(0);
});

test('[V152] whoever has no key, or another, is told of VITRINE_KEY and where one comes from', async () => {
  const { url } = await privately();
  for (const { words, env, why } of [
    { words: ['runs'], env: {}, why: `${url} asks for a key.` },
    { words: ['stop', 'run_x'], env: { VITRINE_KEY: 'vit_other' }, why: `${url} does not take the key: ` },
  ]) {
    const refused = await vitrine([...words, '--server', url], { cwd: temporaryFolder(), env });
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining(why)]);
    expect(refused.error).toContain('Set VITRINE_KEY to a key of that server: «vitrine keys create <name>»');
  }
});

test('[V30] the key of the folder is given to no other server', async () => {
  const { cwd } = await privately();
  const heard: (string | undefined)[] = [];
  const other = createServer(({ headers }, answer) => {
    heard.push(headers.authorization);
    answer.writeHead(401).end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await vitrine(['runs', '--server', `http://127.0.0.1:${port}`], { cwd });
  expect(heard).toEqual([undefined]);
});

describeInBrowser('[V30] the link', (browser) => {
  test('signs one browser in, once', async () => {
    const { link, url } = await privately();
    const page = await (await browser().newContext()).newPage();
    await page.goto(link);
    await page.getByText('What should be done?').waitFor();
    expect(page.url()).toBe(`${url}/`);
    const second = await (await browser().newContext()).newPage();
    await second.goto(link);
    await second.getByText('This link is not good any more').waitFor();
    await second.getByText('This server asks for a key.').waitFor();
  });
});
