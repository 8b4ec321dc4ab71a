// What an app prefers to show, through the whole server and the terminal.
import { beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { vitrineClient } from '../../src/client/client.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { flatTree, type FlatTree } from '../../src/run/flat-tree.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { idsIn, serving, shareServing, textAt, type Serving } from '../serving.ts';
import { streamViewer } from '../stream.ts';
import { vitrine } from '../vitrine.ts';

/** Searches twice, deeper the second time; the inner one fails. */
const weather = scriptedGateway([
  {
    moves: [
      { type: 'stage.opened', stage: '0', title: 'Search' },
      { type: 'stage.appended', stage: '0', text: 'searching ' },
      { type: 'stage.opened', stage: '1', parent: '0', title: 'Fetch' },
      { type: 'stage.appended', stage: '1', text: 'fetching ' },
      { type: 'stage.opened', stage: '2', parent: '1', title: 'Parse' },
      { type: 'stage.appended', stage: '2', text: 'parsing ' },
      { type: 'stage.closed', stage: '2', outcome: 'failed' },
      { type: 'stage.closed', stage: '1', outcome: 'completed' },
      { type: 'stage.appended', stage: '0', text: 'found ' },
      { type: 'stage.closed', stage: '0', outcome: 'completed' },
      { type: 'say', text: ['It ', 'rains.'] },
    ],
  },
]);

const flowOf = (name: string): Flow => ({
  name,
  version: '1',
  async run(scope, { text }) {
    const messages = [{ role: 'user', text }] as const;
    const { text: answer } = await scope.turn('weather', { messages, title: 'Weather' });
    return answer;
  },
});

const apps = {
  whole: { flow: flowOf('whole') },
  flat: { flow: flowOf('flat'), preferences: { stages: 'prefix' as const, names: ['search', '📄 Parse'] } },
  shallow: { flow: flowOf('shallow'), preferences: { stages: 'nested' as const, depth: 2 } },
  quiet: { flow: flowOf('quiet'), preferences: { stages: 'off' as const } },
};
type Name = keyof typeof apps;

let at: Serving;
const runs = new Map<string, string>();
const sessions = new Map<string, string>();

beforeAll(() =>
  shareServing(async () => {
    at = await serving({
      config: { agents: { weather: { gateway: weather } }, apps },
    });
    for (const app of Object.keys(apps)) {
      const started = await at.ask('/api/runs', { json: { app, input: { text: 'Paris?' } } });
      const run = textAt(started, 'run');
      await at.ask(`/api/runs/${run}/events`);
      runs.set(app, run);
      sessions.set(app, textAt(started, 'conversation'));
    }
  }),
);

const runOf = (app: Name): string => runs.get(app) ?? '';
const everything = 'stages=nested&names=*&depth=*';

/** The tree of a run as `title below title: what it said (what its log says)`. */
function outline({ steps }: FlatTree): string[] {
  const titles = new Map(steps.map(({ id, title }) => [id, title]));
  return steps.map(({ parent, title, text, status, log }) => {
    const place = parent === 0 ? '' : `${titles.get(parent)} > `;
    return `${place}${title} [${status}] ${text ?? ''}${log === undefined ? '' : `(${log})`}`;
  });
}

async function tree(app: Name, query = ''): Promise<FlatTree> {
  return (await at.ask(`/api/runs/${runOf(app)}?${query}`)).json as FlatTree;
}

/** What somebody has who folds the stream. */
async function streamed(app: Name, query = ''): Promise<FlatTree> {
  const { text } = await at.ask(`/api/runs/${runOf(app)}/events?${query}`);
  return flatTree(foldAll(decodeAll(text)), runOf(app));
}

const all = [
  'Weather [completed] It rains.',
  'Weather > Search [completed] searching found ',
  'Search > Fetch [completed] fetching ',
  'Fetch > Parse [failed] parsing ',
];

describe('[P13] an app that prefers', () => {
  test.for<[app: Name, shown: readonly string[]]>([
    ['whole', all],
    [
      'flat',
      [
        'Weather [completed] It rains.',
        'Weather > [weather] Search [completed] searching found (Fetch: fetching\n)',
        'Weather > [weather] Parse [failed] parsing ',
      ],
    ],
    [
      'shallow',
      [
        'Weather [completed] It rains.',
        'Weather > Search [completed] searching found (Parse (failed): parsing\nFetch: fetching\n)',
      ],
    ],
    ['quiet', ['Weather [completed] It rains.']],
  ])('%s is shown so by the stream and by the tree, which are the same', async ([app, shown]) => {
    expect(outline(await tree(app))).toEqual(shown);
    expect(await streamed(app)).toEqual(await tree(app));
  });

  test.for(Object.keys(apps) as Name[])('%s has recorded everything all the same', async (app) => {
    expect(outline(await tree(app, everything))).toEqual(all);
    expect(await streamed(app, everything)).toEqual(await tree(app, everything));
    const recorded = (await at.ask(`/api/runs/${runOf(app)}/entries`)).json as {
      readonly entries: unknown[];
    };
    const { text } = await at.ask(`/api/runs/${runOf(app)}/events?${everything}`);
    expect([...decodeAll(text)]).toEqual(recorded.entries);
    expect(idsIn(text)).toEqual(recorded.entries.map((_, i) => i + 1));
  });

  test.for<[asked: string, shown: readonly string[]]>([
    ['names=*', ['Weather > [weather] Search', 'Weather > [weather] Fetch', 'Weather > [weather] Parse']],
    ['names=Fetch', ['Weather > [weather] Fetch']],
    ['names=Fetch&names=Parse', ['Weather > [weather] Fetch', 'Weather > [weather] Parse']],
    ['stages=nested', ['Weather > Search', 'Search > Parse']],
    ['stages=flat', ['Weather > Search', 'Weather > Parse']],
    ['stages=off', []],
    ['depth=1', []],
  ])('flat yields to a viewer who asks for %s, field by field', async ([asked, shown]) => {
    const steps = outline(await tree('flat', asked)).slice(1);
    expect(steps.map((line) => line.replace(/ \[(completed|failed)\].*/s, ''))).toEqual(shown);
    expect(await streamed('flat', asked)).toEqual(await tree('flat', asked));
  });

  test('[P20] quiet shows nothing of what is off, and tells nothing of it', async () => {
    const { notices, steps } = await tree('quiet');
    expect([notices, steps.length, steps[0]?.items]).toEqual([[], 1, undefined]);
  });

  test.for([
    ['stages=sideways', 'stages: '],
    ['depth=-1', 'depth: give a whole number up to 1000, or * for all'],
    ['deepth=1', '«deepth» is not known here'],
  ] as const)('is not a way around a query that is wrong: %s', async ([query, sentence]) => {
    for (const path of [`/api/runs/${runOf('flat')}`, `/api/runs/${runOf('flat')}/events`]) {
      const answer = await at.ask(`${path}?${query}`);
      expect(answer.status).toBe(400);
      expect(textAt(answer, 'error', 'message')).toContain(sentence);
    }
  });
});

const protocols = ['steps', 'console', 'console-dotted', 'execution'];
const cuts = protocols.flatMap((as) => [
  ...(['flat', 'shallow', 'quiet'] as const).map((app) => [app, as, ''] as const),
  ['flat', as, '&stages=flat&names=*'] as const,
]);

describe('[L2] with preferences', () => {
  test.for(cuts)(
    '%s as %s%s, cut at any cursor and resumed, is the whole, byte for byte',
    async ([app, as, asked]) => {
      const path = `/api/runs/${runOf(app)}/events?as=${as}${asked}`;
      const { text: whole } = await at.ask(path);
      const head = idsIn(whole).at(-1) ?? 0;
      for (let after = 0; after < head; after += 1) {
        const { text: rest } = await at.ask(`${path}&after=${after}`);
        expect(whole.endsWith(rest)).toBe(true);
        const before = whole.slice(0, whole.length - rest.length);
        expect(Math.max(0, ...idsIn(before))).toBeLessThanOrEqual(after);
        expect(Math.min(...idsIn(rest))).toBeGreaterThan(after);
      }
    },
  );

  test('the tree at any moment is the stream up to it', async () => {
    const entries = [...decodeAll((await at.ask(`/api/runs/${runOf('flat')}/events`)).text)];
    const { seq } = await tree('flat');
    for (let moment = 1; moment <= seq; moment += 1) {
      const upTo = flatTree(foldAll(entries.filter((entry) => entry.seq <= moment)), runOf('flat'));
      expect(await tree('flat', `at=${moment}`)).toEqual({ ...upTo, seq: moment });
    }
  });

  test('a viewer who is there while the run works has what one has who comes later', async () => {
    const started = await at.ask('/api/runs', { json: { app: 'flat', input: { text: 'now' } } });
    const path = `/api/runs/${textAt(started, 'run')}/events?as=console`;
    const live = streamViewer({ url: at.url, path });
    await live.closed;
    expect(live.body).toBe((await at.ask(path)).text);
  });
});

describe('[P13] every other way to watch', () => {
  async function messages(path: string): Promise<readonly string[]> {
    const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`);
    const texts: string[] = [];
    return new Promise((resolve, reject) => {
      socket.on('message', (data: Buffer) => texts.push(data.toString()));
      socket.on('close', () => resolve(texts));
      socket.on('error', reject);
    });
  }

  test.for(['flat', 'quiet', 'shallow'] as const)('a socket shows %s as the stream does', async (app) => {
    for (const query of ['', `?${everything}`]) {
      const shown = (await messages(`/ws/runs/${runOf(app)}${query}`)).map(
        (text) => (JSON.parse(text) as { readonly id: number }).id,
      );
      expect(shown).toEqual(idsIn((await at.ask(`/api/runs/${runOf(app)}/events${query}`)).text));
    }
  });

  test('an execution and its list of steps', async () => {
    const path = `/execution/${runOf('quiet')}`;
    const stepsIn = async (query = ''): Promise<readonly string[]> => {
      const { json } = await at.ask(`/workflows${path}/steps${query}`);
      return (json as { readonly steps: { readonly step_name: string }[] }).steps.map(
        (step) => step.step_name,
      );
    };
    const begunIn = async (query = ''): Promise<readonly unknown[]> =>
      (await messages(`/ws${path}${query}`))
        .map((text) => JSON.parse(text) as { readonly event: string; readonly payload: object })
        .filter(({ event }) => event === 'step_started')
        .map(({ payload }) => Reflect.get(payload, 'step_name') as unknown);
    expect(await stepsIn()).toEqual(['Weather']);
    expect(await begunIn()).toEqual(['Weather']);
    const asked = `?${everything}`;
    expect(await stepsIn(asked)).toEqual(['Weather', 'Search', 'Fetch', 'Parse']);
    expect(await begunIn(asked)).toEqual(['Weather', 'Search', 'Fetch', 'Parse']);
  });

  test('a session is told as its app prefers, and counts what it tells', async () => {
    const id = sessions.get('quiet') ?? '';
    const { text } = await at.ask(`/api/sessions/${id}/stream`);
    const { json } = await at.ask(`/api/sessions/${id}`);
    const { event_log: log, steps } = json as { readonly event_log: unknown[]; readonly steps: unknown[] };
    expect(idsIn(text)).toEqual(log.map((_, i) => i + 1));
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ response: 'It rains.' });
    for (let since = 0; since < log.length; since += 1) {
      const { text: rest } = await at.ask(`/api/sessions/${id}/stream?since=${since}`);
      expect(text.endsWith(rest)).toBe(true);
      expect(idsIn(rest)[0]).toBe(since + 1);
    }
    const whole = await at.ask(`/api/sessions/${sessions.get('whole')}`);
    expect((whole.json as { readonly steps: unknown[] }).steps.length).toBeGreaterThan(1);
  });

  test('the client follows what is shown, and reads what is recorded', async () => {
    const client = vitrineClient({ url: at.url });
    const run = runOf('flat');
    const last = async (asked?: Parameters<typeof client.follow>[2]): Promise<FlatTree | undefined> => {
      let newest: FlatTree | undefined;
      for await (const each of client.follow(run, undefined, asked)) newest = each;
      return newest;
    };
    expect(await last()).toEqual(await client.tree(run));
    expect(outline(await client.tree(run))).toHaveLength(3);
    const asked = { stages: 'nested' as const, names: ['Search', 'Fetch'] };
    expect(await last(asked)).toEqual(await client.tree(run, undefined, asked));
    expect(outline(await client.tree(run, undefined, asked))).toHaveLength(3);
    expect(outline(await client.tree(run, undefined, { names: '*' }))).toHaveLength(4);
    const seqs: number[] = [];
    for await (const { seq } of client.entries(run)) seqs.push(seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect(seqs.at(-1)).toBe((await client.tree(run)).seq);
  });

  test('the terminal, without the configuration, while the server holds the folder and when it does not', async () => {
    const cwd = at.data;
    const typed = async (...words: string[]): Promise<string> => {
      const { code, out, error } = await vitrine([...words, '--data', at.data], { cwd });
      expect([code, error]).toEqual([0, '']);
      return out;
    };
    const titlesOf = (json: string): unknown =>
      (JSON.parse(json) as FlatTree).steps.map(({ title }) => title);
    const run = runOf('flat');
    const shown = ['Weather', '[weather] Search', '[weather] Parse'];
    expect(titlesOf(await typed('show', run, '--json'))).toEqual(shown);
    expect(titlesOf(await typed('show', run, '--json', '--names', 'Fetch'))).toEqual([
      'Weather',
      '[weather] Fetch',
    ]);
    const followed = await typed('follow', run);
    expect(followed).toContain('[weather] Parse');
    expect(followed).not.toContain('Fetch');
    expect(await typed('follow', run, '--stages', 'nested', '--names', '*')).toContain('Fetch');
    const entries = (await typed('follow', run, '--json')).trim().split('\n');
    const streamedSeqs = idsIn((await at.ask(`/api/runs/${run}/events`)).text);
    expect(entries.map((line) => (JSON.parse(line) as { readonly seq: number }).seq)).toEqual(streamedSeqs);
    await at.close();
    expect(titlesOf(await typed('show', run, '--json'))).toEqual(shown);
  });
});
