// 1,000 values that guards find, each cut at every place, said in every way there is: none of them is told or kept. With
// `LONG=1` all of them, else some.
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { blurtingAgent } from '../blurting-agent.ts';
import { wordsOf } from '../../src/run/facts.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { bytesIn, everyWay } from '../every-way.ts';
import { personalValues } from '../guarded.ts';
import { isLong, seedOf, sized, tell } from '../long.ts';
import { planOf, planStep } from '../pipeline.ts';
import { Chance } from '../random.ts';
import { serving, textAt, type Serving } from '../serving.ts';
import { Traces } from '../traces.ts';
import { agentOf } from '../world.ts';

const seed = seedOf('guards');
const all = personalValues(sized(15, 1_000), seed);
const perRun = 5;

/** `7:12` is the value at place 7, cut after twelve characters. */
function piecesOf(cut: string): readonly [string, string] {
  const [place = 0, at = 0] = cut.split(':').map(Number);
  const { value = '' } = all[place] ?? {};
  return [value.slice(0, at), value.slice(at)];
}

function cutsOf(place: number, chance: Chance): readonly string[] {
  const cuts = Array.from({ length: (all[place]?.value.length ?? 0) + 1 }, (_, at) => `${place}:${at}`);
  return isLong ? cuts : chance.shuffle(cuts).slice(0, 3);
}

const agent = blurtingAgent(piecesOf);

const flow: Flow = {
  name: 'blurts',
  version: '1',
  async run(scope, { text }) {
    const cuts = text.split(' ');
    for (const [one, two] of cuts.map(piecesOf)) {
      scope.say(`so ${one}`);
      scope.say(`${two} is it. `);
      scope.notice('SAID', one + two);
    }
    await scope.step({ key: 's', title: piecesOf(cuts[0] ?? '').join('') }, async (step) => {
      await step.turn('agent', { messages: [{ role: 'user', text: cuts.join(' ') }] });
      const { step: id } = await step.call('t', { cuts: cuts.join(' ') });
      return { id, said: cuts.map((cut) => piecesOf(cut).join('')) };
    });
    return cuts.map((cut) => piecesOf(cut).join('')).join(', ');
  },
};

const tool: Tool = {
  name: 't',
  description: 'Says what it knows.',
  schema: { type: 'object', properties: { cuts: { type: 'string' } }, required: ['cuts'] },
  effect: 'pure',
  async run(input, context) {
    const pieces = (input as { cuts: string }).cuts.split(' ').map(piecesOf);
    for (const [one, two] of pieces) {
      context.say(`so ${one}`);
      context.say(`${two} is it. `);
    }
    return { rows: pieces.map(([one, two]) => [`${one}${two}`, `${one}${two}`.length]) };
  },
};

/** Passages with values in them, so that models are told them as well. */
const finder: Tool = {
  name: 'find',
  description: 'Finds what was said.',
  schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  effect: 'pure',
  run: async (input) => {
    const { query } = input as { query: string };
    const values = query.split(' ').map((cut) => piecesOf(cut).join(''));
    return { results: values.map((value) => ({ title: value, text: `It says ${value}.` })) };
  },
};

/** What a planner writes has them, too: as its reasons. */
const planner = agentOf('planner', ({ messages }) => {
  const values = (messages.at(-1)?.text ?? '').split('\n')[0]?.split(' ') ?? [];
  const reasoning = values.map((cut) => piecesOf(cut).join('')).join(' and ');
  const plan = planOf('parallel', [planStep(1, 'agent'), planStep(2, 't')], { reasoning });
  return [{ type: 'say', text: JSON.stringify(plan) }];
});

const guards = { output: [{ guard: 'pii' as const }], covers: 'everything' as const };
const config: ConfigInput = {
  agents: { agent: { gateway: agent }, planner: { gateway: planner.gateway } },
  tools: [tool, finder],
  apps: {
    blurts: { flow, guards },
    desk: {
      flow: 'pipeline',
      guards,
      settings: {
        models: { planner: 'planner' },
        persona: { text: 'You are the desk.' },
        chat: { welcome: 'Welcome.', sorry: 'Sorry.', starters: ['What?'] },
        retrieval: { tools: ['find'] },
        skills: [
          { name: 'agent', type: 'agent', passages: false },
          { name: 't', type: 'tool' },
        ],
      },
    },
  },
  limits: { turns: 10_000, calls: 10_000, tokens: 100_000_000 },
  server: { quotas: { requests: 100_000, burst: 100_000 } },
};

/** What a run that says these cuts tells anybody. */
async function toldOf(at: Serving, cuts: readonly string[]): Promise<readonly string[]> {
  const json = { app: 'blurts', input: { text: cuts.join(' ') } };
  const run = textAt(await at.ask('/api/runs', { json }), 'run');
  const stream = (await at.ask(`/api/runs/${run}/events`)).text;
  expect(stream.match(/"SAID"/g)).toHaveLength(cuts.length);
  expect(stream).toContain('GUARD_REDACTED');
  return [stream, ...(await everyWay(at, run))];
}

/** The same of an application, with what its own routes tell. */
async function toldByDesk(at: Serving, cuts: readonly string[]): Promise<readonly string[]> {
  const session = `s${cuts[0]?.replace(':', '-')}`;
  const chat = '/api/applications/desk/chat';
  const asked = await at.ask(`${chat}/stream`, { json: { message: cuts.join(' '), session_id: session } });
  expect([asked.status, asked.text], asked.text).toEqual([200, expect.stringContaining('"Completed"')]);
  const paths = [`${chat}/sessions/${session}`, `${chat}/history`];
  const own = await Promise.all(paths.map(async (path) => (await at.ask(path)).text));
  expect(own[0]).toMatch(/\[(email|phone|card|iban|ssn)\]/);
  return [asked.text, ...own, ...(await everyWay(at, asked.headers.get('x-run-id') ?? ''))];
}

test(
  '[GD10] of 1,000 values that guards find none is told by any protocol or socket, found by a search or kept in any file, wherever it is cut',
  { timeout: 7_200_000 },
  async () => {
    const chance = new Chance(seed);
    const at = await serving({ config });
    const traces = new Traces(all.map(({ value }) => value));
    let bytes = 0;
    const expectNone = (texts: readonly (string | Buffer)[]): void => {
      for (const text of texts) {
        bytes += text.length;
        const found = traces.in(text);
        if (found.length > 0) expect(found).toEqual([]);
      }
    };
    let cuts = 0;
    for (let place = 0; place < all.length; place += perRun) {
      const few = Array.from({ length: perRun }, (_, i) => cutsOf(place + i, chance)).flat();
      cuts += few.length;
      expectNone(await toldOf(at, few));
      expectNone(await toldByDesk(at, few));
    }
    for (const { value } of all.slice(0, 10)) {
      const [word = ''] = wordsOf(value).toSorted((a, b) => b.length - a.length);
      const { text } = await at.ask(`/api/runs?text=${encodeURIComponent(word)}`);
      expect(JSON.parse(text), word).toMatchObject({ runs: [] });
    }
    await at.close();
    const files = bytesIn(at.data);
    expect(files.some((file) => file.includes('[email]'))).toBe(true);
    expectNone(files);
    expectNone(at.problems.map(({ message, cause }) => `${message} ${String(cause)}`));
    tell('guards', { values: all.length, cuts, megabytes: Math.round(bytes / 1e6) });
    expect(cuts).toBeGreaterThanOrEqual(sized(45, 15_000));
  },
);
