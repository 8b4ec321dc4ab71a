import { describe, expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import {
  appWith,
  keyIn,
  serving,
  temporaryFolder,
  textAt,
  type Answered,
  type Asking,
  type Serving,
} from '../../../test/serving.ts';

let count = 0;
const apps = {
  recalls: {
    flow: {
      name: 'recalls',
      version: '1',
      async run(
        scope: Parameters<Parameters<typeof appWith>[0]>[0],
        {
          text,
          attachments,
        }: { readonly text: string; readonly attachments: readonly { readonly data?: string }[] },
      ) {
        count += 1;
        const said = (await scope.history()).map(({ answer }) => answer.split(':')[0]);
        const size = `${text.length} ${attachments.map(({ data }) => data?.length).join(' ')}`.trim();
        return `${text.slice(0, 10)}${count}:${size}:${said.join(' ')}`;
      },
    },
  },
  waits: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'Q' })).decision, 'waits'),
};

async function ended(at: Serving, answer: Answered, key?: string): Promise<string> {
  const run = textAt(answer, 'run');
  await at.ask(`/api/runs/${run}/events`, key === undefined ? {} : { key });
  return run;
}

const start = (at: Serving, json: object, more: Asking = {}): Promise<Answered> =>
  at.ask('/api/runs', { json: { app: 'recalls', ...json }, ...more });

interface Exchanges {
  readonly exchanges: readonly {
    readonly run: string;
    readonly again?: string;
    readonly replacedBy?: string;
  }[];
}

describe('[N11] asking for a run again', () => {
  test('takes its place: the same question, the same history, counted from then on, and marked', async () => {
    count = 0;
    const data = temporaryFolder();
    const at = await serving({ data, config: { apps, defaultApp: 'recalls' } });
    const first = await start(at, { input: { text: 'one' } });
    const conversation = textAt(first, 'conversation');
    const one = await ended(at, first);
    const two = await ended(at, await start(at, { conversation, input: { text: 'two' } }));
    const three = await ended(at, await start(at, { conversation, input: { text: 'three' } }));
    const asked = await at.ask('/api/runs', { json: { again: two } });
    expect(asked).toMatchObject({ status: 201, json: { conversation } });
    const again = await ended(at, asked);
    expect(await answerOf(at, again)).toBe('two4:3:one1');
    const four = await ended(at, await start(at, { conversation, input: { text: 'four' } }));
    expect(await answerOf(at, four)).toBe('four5:4:one1 two4 three3');
    const { exchanges } = (await at.ask(`/api/conversations/${conversation}`)).json as Exchanges;
    expect(exchanges.map(({ run }) => run)).toEqual([one, two, again, three, four]);
    expect(exchanges[1]).toMatchObject({ replacedBy: again });
    expect(exchanges[2]).toMatchObject({ again: two });
    const listed = await vitrineClient({ url: at.url }).runs({ conversation });
    expect(listed.runs.find(({ run }) => run === two)).toMatchObject({ replacedBy: again });
    expect(listed.runs.find(({ run }) => run === again)).toMatchObject({ again: two });
    expect(textAt(await at.ask(`/api/runs/${two}`), 'answer')).toBe('two2:3:one1');
    await at.close();
    const later = await serving({ data, config: { apps, defaultApp: 'recalls' } });
    const five = await ended(later, await start(later, { conversation, input: { text: 'five' } }));
    expect(await answerOf(later, five)).toBe('five6:4:one1 two4 three3 four5');
  });

  test('brings what was large and what was attached, or what is given instead', async () => {
    const at = await serving({ config: { apps, defaultApp: 'recalls' } });
    const attachments = [{ data: 'x'.repeat(100_000) }, { data: 'small' }];
    const input = { text: `long ${'y'.repeat(100_000)}`, attachments };
    const labels = { project: 'p' };
    const run = await ended(at, await start(at, { input, labels }));
    const again = await ended(at, await at.ask('/api/runs', { json: { again: run } }));
    expect((await answerOf(at, again)).split(':')[1]).toBe('100005 100000 5');
    const [{ event }] = (
      (await at.ask(`/api/runs/${again}/entries`)).json as { entries: [{ event: object }] }
    ).entries;
    expect(event).toMatchObject({ replaces: run, labels });
    const other = await ended(at, await at.ask('/api/runs', { json: { again, input: { text: 'other' } } }));
    expect((await answerOf(at, other)).split(':')[1]).toBe('5');
  });

  test('is one run for one idempotency key, and streams like any start', async () => {
    const at = await serving({ config: { apps, defaultApp: 'recalls' } });
    const run = await ended(at, await start(at, { input: { text: 'x' } }));
    const headers = { 'idempotency-key': 'k' };
    const again = await ended(at, await at.ask('/api/runs', { json: { again: run }, headers }));
    expect(textAt(await at.ask('/api/runs', { json: { again: run }, headers }), 'run')).toBe(again);
    expect((await at.ask('/api/runs', { json: { again }, headers })).status).toBe(409);
    const store = await vitrineClient({ url: at.url }).startAndWatch({ again });
    await expect.poll(() => store.connection.getSnapshot().is).toBe('over');
    expect(store.getSnapshot().tree.answer).toMatch(/^x/);
  });

  test('is for whoever asked first, in its own conversation, once it has ended and as long as it holds its place', async () => {
    const data = temporaryFolder();
    const [ann, bob, eve] = ['ann', 'bob', 'eve'].map((name) =>
      keyIn(data, { name, tenant: name === 'eve' ? 'evil' : 'acme' }),
    );
    const at = await serving({ data, config: { apps, defaultApp: 'recalls', auth: { required: true } } });
    const of = (key?: string): Asking => (key === undefined ? {} : { key });
    const first = await start(at, { input: { text: 'x' } }, of(ann));
    const run = await ended(at, first, ann);
    const ask = (json: object, key = ann): Promise<Answered> => at.ask('/api/runs', { json, ...of(key) });
    const refused = async (answer: Answered, status: number, why: RegExp): Promise<void> => {
      expect(textAt(answer, 'error', 'message')).toMatch(why);
      expect(answer.status).toBe(status);
    };
    await refused(await ask({ again: run }, bob), 403, /asked for by ann/);
    await refused(await ask({ again: run }, eve), 404, /There is no run/);
    await refused(await ask({ again: 'run_nope' }), 404, /There is no run/);
    await refused(await ask({}), 400, /give «input» .*, or «again»/);
    await refused(await ask({ again: run, conversation: 'mine' }), 409, /is of the conversation/);
    const open = textAt(await start(at, { app: 'waits', input: { text: 'x' } }, of(ann)), 'run');
    await refused(await ask({ again: open }), 409, /has not ended: stop it first/);
    const own = textAt(first, 'conversation');
    const again = textAt(await ask({ again: run, conversation: own }), 'run');
    await refused(await ask({ again: run }), 409, new RegExp(`replaced by ${again}: ask for that one again`));
  });
});

async function answerOf(at: Serving, run: string): Promise<string> {
  return textAt(await at.ask(`/api/runs/${run}`), 'answer');
}
