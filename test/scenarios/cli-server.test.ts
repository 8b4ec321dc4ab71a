// The terminal as a client of a server: it has no folder, and everything it knows came over HTTP.
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import {
  decideOn,
  appWith,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  type Serving,
} from '../serving.ts';
import { ownPort } from '../own-port.ts';
import { start, vitrine, type Finished } from '../vitrine.ts';

const long = `${'x'.repeat(200_000)}\n"quoted"`;
let at: Serving;
let key: string;
let other: string;
let operator: string;
let cwd: string;

beforeAll(() =>
  shareServing(async () => {
    const apps = {
      asks: appWith(async (scope, text) => {
        await scope.step({ key: 'a', title: 'Look around' }, async (step) => step.say('nothing here'));
        const { decision, by } = await scope.ask({
          key: 'q',
          title: 'May I?',
          arguments: { amount: 5 },
          allowed: ['approve', 'reject', 'edit'],
        });
        return `${text}: ${decision} by ${by}`;
      }, 'asks'),
      long: appWith(async () => long, 'long'),
      slow: appWith(async (scope) => {
        await scope.step({ key: 'a', title: 'Work' }, async (step) => {
          for (let i = 0; i < 20; i += 1) {
            step.say(`${i} `);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        });
        const { decision, by } = await scope.ask({ key: 'q', title: 'May I?' });
        return `${decision} by ${by}`;
      }, 'slow'),
      recalls: appWith(
        async (scope) => (await scope.history()).map(({ text }) => text).join(' and '),
        'recalls',
      ),
      quiet: {
        ...appWith(async (scope) => {
          await scope.step({ key: 'a', title: 'Outer' }, (outer) =>
            outer.step({ key: 'b', title: 'Inner' }, async () => 'x'),
          );
          return 'done';
        }, 'quiet'),
        preferences: { depth: 1 },
      },
    };
    const data = temporaryFolder();
    key = keyIn(data, { name: 'ada' });
    operator = keyIn(data, { name: 'ops', role: 'operator' });
    other = keyIn(data, { name: 'eve', tenant: 'elsewhere' });
    cwd = temporaryFolder();
    at = await serving({ data, config: { apps, defaultApp: 'asks', auth: { required: true } } });
  }),
);
afterAll(() => {
  // Whatever was asked, nothing was kept on this side.
  expect(existsSync(cwd) ? readdirSync(cwd) : []).toEqual([]);
});

function typed(...words: readonly string[]): Promise<Finished> {
  return vitrine([...words, '--server', at.url], { cwd, env: { VITRINE_KEY: key } });
}

/** How often each route was asked, as the server counts. */
async function asked(): Promise<Map<string, number>> {
  const { text } = await at.ask('/metrics', { key: operator });
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of text.matchAll(
    /^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm,
  )) {
    const [, method] = /method="([^"]*)"/.exec(labels) ?? [];
    const [, route] = /route="([^"]*)"/.exec(labels) ?? [];
    if (route === '/metrics') continue;
    const name = `${method} ${route}`;
    counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  return counts;
}

async function asking(text: string): Promise<string> {
  const client = vitrineClient({ url: at.url, key });
  const { run } = await client.start({ text });
  for await (const tree of client.follow(run)) if (tree.status === 'waiting') break;
  return run;
}

describe('the terminal at a server', () => {
  test('[N3] runs the server’s own default, shows the tree the server has, and says how to answer what it asks', async () => {
    const { code, out, error } = await typed('run', 'hello');
    expect(code).toBe(3);
    expect(out).toContain('Look around');
    const [, approval = ''] = /vitrine approve (\S+)/.exec(error) ?? [];
    expect(error).toContain(`vitrine approve ${approval} --server ${at.url}`);
    const decided = await typed('approve', approval, '--why', 'fine');
    expect(decided).toMatchObject({ code: 0, out: `${approval}: approve.\n` });
    const [run = ''] = approval.split('.');
    const followed = await typed('follow', run);
    expect(followed.code).toBe(0);
    expect(followed.out.trimEnd().split('\n').at(-1)).toBe('hello: approve by ada');
    expect((await typed('show', run)).out).toContain('✓ Look around');
    const tree = await vitrineClient({ url: at.url, key }).tree(run);
    expect(JSON.parse((await typed('show', run, '--json')).out)).toEqual(tree);
    const listed = await typed('runs', '--json');
    expect(listed.out).toContain(`"run":"${run}","status":"completed","app":"asks","title":"hello"`);
  });

  test('answers everything with --yes, and prints the journal with --json', async () => {
    const { code, out } = await typed('run', 'quickly', '--yes', '--json');
    expect(code).toBe(0);
    const entries = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly seq: number });
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    expect(entries.at(-1)).toMatchObject({ event: { type: 'run.ended', answer: 'quickly: approve by ada' } });
  });

  test('[N10] asks at most five times beside its stream, however long the run takes', async () => {
    const before = await asked();
    const slow = await typed('run', 'slowly', '--app', 'slow', '--yes');
    expect(slow).toMatchObject({ code: 0, out: expect.stringMatching(/approve by ada\n$/) });
    const after = await asked();
    const fresh = [...after].flatMap(([route, count]) => {
      const more = count - (before.get(route) ?? 0);
      return more > 0 ? [[route, more] as const] : [];
    });
    const streams = fresh.filter(([route]) => route.includes('/events'));
    expect(streams).toEqual([['GET /api/runs/:run/events', 1]]);
    const others = fresh.filter(([route]) => !route.includes('/events'));
    expect(
      others.reduce((sum, [, count]) => sum + count, 0),
      JSON.stringify(others),
    ).toBeLessThanOrEqual(5);
  });

  test('[K47] begins a conversation of its own name, and goes on with it', async () => {
    const named = (text: string) => typed('run', text, '--app', 'recalls', '--conversation', 'mine');
    for (const text of ['one', 'two']) expect(await named(text)).toMatchObject({ code: 0 });
    expect((await named('three')).out.trimEnd().split('\n').at(-1)).toBe('one and two');
  });

  test('lists what is asked; rejects, edits, pauses, resumes, says something and stops', async () => {
    const [one, two, three] = [await asking('one'), await asking('two'), await asking('three')];
    const asked = await typed('approvals');
    for (const run of [one, two, three]) expect(asked.out).toContain(`${run}.a1`);
    expect(asked.out).toContain('"amount": 5');
    expect((await typed('reject', one, '--why', 'no')).out).toContain('reject.');
    expect((await typed('edit', two, '{"amount":6}')).out).toMatch(/edit \(now \S+\)\.\n$/);
    expect((await typed('pause', three)).out).toContain(`Run ${three} is paused`);
    expect((await typed('message', three, 'and', 'hurry')).out).toBe(`Run ${three} has the message.\n`);
    const resumed = await typed('resume', three);
    expect(resumed.code).toBe(3);
    expect(await typed('stop', three, '--why', 'enough')).toMatchObject({
      code: 0,
      out: `Run ${three} is stopped.\n`,
    });
    expect((await typed('stop', three)).out).toBe(`Run ${three} is stopped.\n`);
    expect((await typed('pause', three)).code).toBe(1);
  });

  test('fetches what is too large for the journal, and shows what the app prefers', async () => {
    const { code, out } = await typed('run', 'much', '--app', 'long');
    expect(code).toBe(0);
    expect(out.trimEnd().endsWith(long)).toBe(true);
    const quiet = await typed('run', 'x', '--app', 'quiet');
    expect(quiet.out).toContain('Outer');
    expect(quiet.out).not.toContain('Inner');
    expect((await typed('run', 'x', '--app', 'quiet', '--depth', '*')).out).toContain('Inner');
  });

  test('follows over a server that is away for a while', async () => {
    const data = temporaryFolder();
    const config = {
      apps: { asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'Q' })).decision) },
    };
    const port = await ownPort();
    const first = await serving({ data, port, config });
    const { run } = await vitrineClient({ url: first.url }).start({ text: 'x' });
    const following = start(['follow', run, '--server', first.url], { cwd });
    await following.until('Q');
    await first.close();
    const second = await serving({ data, port, config });
    await decideOn(second, `${run}.a1`);
    expect(await following.ended).toMatchObject({ code: 0, out: expect.stringMatching(/approve\n$/) });
  });

  test.for([
    ['a key of nobody', { VITRINE_KEY: 'vk_nonsense' }, /key/],
    ['no key', { VITRINE_KEY: '' }, /key/],
  ] as const)('is turned away with %s', async ([, env, why]) => {
    const { code, error } = await vitrine(['runs', '--server', at.url], { cwd, env });
    expect(code).toBe(1);
    expect(error).toMatch(why);
  });

  test('[L14] finds nothing of another tenant', async () => {
    const run = await asking('mine');
    const theirs = { cwd, env: { VITRINE_KEY: other, VITRINE_SERVER: at.url } };
    expect((await vitrine(['runs'], theirs)).error).toContain(`There are no runs in ${at.url}`);
    for (const words of [
      ['show', run],
      ['follow', run],
      ['stop', run],
      ['approve', `${run}.a1`],
    ]) {
      const { code, error, out } = await vitrine(words, theirs);
      expect([words, code, out]).toEqual([words, 2, '']);
      expect(error).toContain('There is no run');
    }
    expect((await typed('stop', run)).code).toBe(0);
  });

  test('says what is wrong with an address, and what does not go together', async () => {
    const away = await vitrine(['runs', '--server', 'http://127.0.0.1:1'], { cwd });
    expect(away).toMatchObject({ code: 1, error: 'http://127.0.0.1:1 cannot be reached.\n' });
    const none = await vitrine(['runs', '--server', 'localhost'], { cwd });
    expect(none).toMatchObject({ code: 2, error: expect.stringContaining('give an address like http') });
    const both = await vitrine(['run', 'x', '--server', at.url, '--files', '.'], { cwd });
    expect(both).toMatchObject({ code: 2, error: expect.stringContaining('--files is for what runs here') });
  });
});
