// What a run may write, what a tool may say and how a run ends that did nothing: as a configuration, HTTP and a terminal show it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RunError } from '../../src/run/failure.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { appWith, serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../serving.ts';
import { vitrine } from '../vitrine.ts';

interface Ended {
  readonly status: string;
  readonly answer: string;
  readonly seq: number;
}

async function ended(at: Serving, app: string): Promise<Ended> {
  const run = textAt(await at.ask('/api/runs', { json: { app, input: { text: 'go' } } }), 'run');
  const { json } = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => ['completed', 'failed'].includes(textAt(answer, 'status')),
  );
  return json as Ended;
}

const down: Gateway = {
  async *takeTurn() {
    yield [];
    throw new RunError('unavailable', 'It is down.');
  },
};

test('[K22] [C23] a run whose only agent is down has failed, by HTTP, in its stream and at a terminal', async () => {
  const apps = {
    one: { flow: 'converse', settings: { agent: 'down' } },
    team: {
      flow: 'coordinate',
      settings: {
        router: 'down',
        writer: 'down',
        agents: [{ name: 'down', description: 'Does all there is to do.' }],
        fallback: 'down',
      },
    },
  };
  const at = await serving({ config: { agents: { down: { gateway: down } }, apps } });
  for (const app of Object.keys(apps)) {
    const run = textAt(await at.ask('/api/runs', { json: { app, input: { text: 'go' } } }), 'run');
    const { text } = await at.ask(`/api/runs/${run}/events`);
    expect(text, app).toMatch(/"type":"run\.ended".*"outcome":"failed"/);
    expect((await at.ask(`/api/runs/${run}`)).json, app).toMatchObject({
      status: 'failed',
      answer: expect.stringContaining('It is down.'),
    });
  }
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, 'vitrine.config.js'),
    `const down = { async *takeTurn() { yield []; throw new Error('It is down.'); } };
    export default { agents: { down: { gateway: down } }, apps: { one: { flow: 'converse', settings: { agent: 'down' } } } };`,
  );
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const typed = await vitrine(['run', 'go'], { cwd });
  expect(typed.code).toBe(1);
  expect(`${typed.out}${typed.error}`).toContain('It is down.');
  expect((await vitrine(['runs'], { cwd })).out).toContain('failed');
});

/** Says more than anybody reads, whoever it is asked by. */
const talkative: Gateway = {
  async *takeTurn() {
    for (let i = 0; i < 3_000; i += 1) {
      yield [{ type: 'text.appended', text: 'word '.repeat(20) }];
      // As a model does, whose words come one after the other.
      await setImmediate();
    }
  },
};

test.for([
  ['entries', { entries: 500 }],
  ['bytes', { bytes: 50_000 }],
] as const)(
  '[E190] limits.%s of a configuration hold for a run, which ends and says so',
  async ([what, limits]) => {
    const config = {
      agents: { model: { gateway: talkative } },
      apps: {
        talk: appWith(async (scope) => {
          for (let i = 0; ; i += 1)
            await scope.turn('model', { key: `t${i}`, messages: [{ role: 'user', text: 'more' }] });
        }, 'talk'),
      },
      limits: { ...limits, turns: 1_000, tokens: 1_000_000_000 },
    };
    const at = await serving({ config });
    const run = await ended(at, 'talk');
    expect(run.status).toBe('failed');
    expect(run.answer).toContain(`used up its ${Object.values(limits)[0]} ${what}`);
    expect(run.seq).toBeLessThan(3_000);
  },
);

test('[E133] of what a tool says in one attempt a million characters are kept, and a notice tells of the rest', async () => {
  const loud: Tool = {
    name: 'loud',
    description: 'Says 20 MB.',
    schema: { type: 'object' },
    effect: 'pure',
    async run(_, context) {
      for (let i = 0; i < 200; i += 1) context.say('x'.repeat(100_000));
      return 'said';
    },
  };
  const loudly = appWith(async (scope) => (await scope.call('loud', {})).outcome, 'loudly');
  const at = await serving({ config: { tools: [loud], apps: { loudly } } });
  const run = textAt(await at.ask('/api/runs', { json: { app: 'loudly', input: { text: 'go' } } }), 'run');
  const { text } = await at.ask(`/api/runs/${run}/events`);
  expect(text).toContain('"outcome":"completed"');
  expect(text.match(/x/g)?.length).toBeGreaterThan(999_000);
  expect(text.length).toBeLessThan(1_100_000);
  expect(text).toMatch(/notice\.posted/);
});
