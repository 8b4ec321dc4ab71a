// 1,000 secrets, each cut at every place, said in every way there is: none of them is anywhere. With `LONG=1` all of them,
// else some. A process knows a group of them: among a thousand, nearly everything begins like one of them and is held back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { blurtingAgent } from '../blurting-agent.ts';
import { redacted } from '../../src/guards/guard.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { bytesIn, everyWay } from '../every-way.ts';
import { isLong, seedOf, sized, tell } from '../long.ts';
import { Chance } from '../random.ts';
import { generatedSecrets, spellingsOf, tracesOf } from '../secrets.ts';
import { serving, temporaryFolder, textAt, type Serving } from '../serving.ts';
import { Traces } from '../traces.ts';
import { vitrine } from '../vitrine.ts';

const seed = seedOf('secrets');
const all = generatedSecrets(1_000, seed);
const groupSize = 50;
/** So many are said by one run, and so many runs are at work at once. */
const perRun = 5;
const atOnce = 5;
const many = 'x'.repeat(40_000);

const spellings = new Map<number, readonly string[]>();

function spellingOf(place: number, spelling: number): string {
  const known = spellings.get(place) ?? Object.values(spellingsOf(all[place] ?? ''));
  spellings.set(place, known);
  return known[spelling] ?? '';
}

/** A secret in two pieces: `7:0:12` is the one at place 7, as it is, cut after twelve characters. */
function piecesOf(cut: string): readonly [string, string] {
  const [place = 0, spelling = 0, at = 0] = cut.split(':').map(Number);
  const form = spellingOf(place, spelling);
  return [form.slice(0, at), form.slice(at)];
}

/** Every cut of the secret as it is, or some, and some of other spellings. */
function cutsOf(place: number, chance: Chance): readonly string[] {
  const { length } = all[place] ?? '';
  const plain = Array.from({ length: length + 1 }, (_, at) => `${place}:0:${at}`);
  const count = Object.keys(spellingsOf(all[place] ?? '')).length;
  const spelled = Array.from({ length: 3 }, () => {
    const spelling = chance.between(1, count - 1);
    return `${place}:${spelling}:${chance.between(0, spellingOf(place, spelling).length)}`;
  });
  return [...(isLong ? plain : chance.shuffle(plain).slice(0, 3)), ...new Set(spelled)];
}

const agent = blurtingAgent(piecesOf);

/** The same of a flow: a step for each secret. */
const flow: Flow = {
  name: 'blurts',
  version: '1',
  async run(scope, { text }) {
    const answer = new Set<string>();
    for (const [place, cuts] of Map.groupBy(text.split(' '), (cut) => cut.split(':')[0] ?? '')) {
      const forms = cuts.map((cut) => piecesOf(cut).join(''));
      for (const form of forms) answer.add(form);
      await scope.step({ key: place, title: 'blurt' }, async (step) => {
        for (const [one, two] of cuts.map(piecesOf)) {
          step.say(`so ${one}`);
          step.say(`${two} is it. `);
          step.notice('SAID', one + two);
        }
        await step.turn('agent', { messages: [{ role: 'user', text: cuts.join(' ') }] });
        await step.call('t', { forms, cuts: cuts.join(' ') });
      });
    }
    return `${many} ${[...answer].join(' ')}`;
  },
};

const tool: Tool = {
  name: 't',
  description: 'Says what it gets, and what it knows.',
  schema: { type: 'object' },
  effect: 'pure',
  async run(input, context) {
    const [, cuts = ''] = /"cuts":"([^"]*)"/.exec(JSON.stringify(input)) ?? [];
    const pieces = cuts.split(' ').map(piecesOf);
    for (const [one, two] of pieces) {
      context.say(`so ${one}`);
      context.say(`${two} is it. `);
    }
    const texts = pieces.flatMap(([one, two]) => [one, two, ' is it. ']);
    return { input, content: texts.map((text) => ({ type: 'text', text })) };
  },
};

function knowing(places: readonly number[]): ConfigInput {
  const names = places.map((place) => {
    vi.stubEnv(`SECRETS_SWEEP_${place}`, all[place]);
    return `SECRETS_SWEEP_${place}`;
  });
  return {
    secrets: names.map((env) => ({ env })),
    agents: { agent: { gateway: agent } },
    tools: [tool],
    apps: { blurts: { flow } },
    limits: { turns: 10_000, calls: 10_000, tokens: 100_000_000 },
    server: { quotas: { requests: 100_000, burst: 100_000 } },
  };
}

/** The words of a stream put together as a client would. */
function joined(frames: string): string {
  return [...frames.matchAll(/"x":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text = '""']) => JSON.parse(text) as string)
    .join('');
}

/** What a run that says these cuts tells anybody. */
async function toldOf(at: Serving, cuts: readonly string[]): Promise<readonly string[]> {
  const json = { app: 'blurts', input: { text: cuts.join(' ') } };
  const run = textAt(await at.ask('/api/runs', { json }), 'run');
  const stream = (await at.ask(`/api/runs/${run}/events`)).text;
  // As many as were asked for: none was left out because a run came to an end before.
  expect(stream.match(/"SAID"/g)).toHaveLength(cuts.length);
  expect(stream.match(/"type":"stage.opened"|"kind":"stage"/g)).toHaveLength(cuts.length);
  expect(stream).toContain('SECRET_REDACTED');
  return [joined(stream), stream, ...(await everyWay(at, run))];
}

/** Which of them: all, or some. */
function swept(chance: Chance): readonly number[] {
  const places = all.keys().toArray();
  return isLong ? places : chance.shuffle(places).slice(0, 20);
}

function inGroups<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  );
}

async function sweep(places: readonly number[], chance: Chance): Promise<{ cuts: number; bytes: number }> {
  const at = await serving({ config: knowing(places) });
  const runs = inGroups(places, perRun).map((few) => few.flatMap((place) => cutsOf(place, chance)));
  const forms = runs.flat().map((cut) => piecesOf(cut).join(''));
  const traces = new Traces([...places.flatMap((place) => tracesOf(all[place] ?? '')), ...new Set(forms)]);
  let bytes = 0;
  const expectNone = (texts: readonly (string | Buffer)[]): void => {
    for (const text of texts) {
      bytes += text.length;
      const found = traces.in(text);
      if (found.length > 0) expect(found).toEqual([]);
    }
  };
  for (const together of inGroups(runs, atOnce))
    await Promise.all(together.map(async (cuts) => expectNone(await toldOf(at, cuts))));
  await at.close();
  const files = bytesIn(at.data);
  expect(files.some((file) => file.includes(redacted))).toBe(true);
  expectNone(files);
  expectNone(at.problems.map(({ message, cause }) => `${message} ${String(cause)}`));
  return { cuts: runs.flat().length, bytes };
}

test(
  '[S35] [S36] [K7] [K8] [H20] [H21] of 1,000 secrets none is told by any protocol or socket or kept in any file, in whatever spelling, wherever it is cut',
  { timeout: 7_200_000 },
  async () => {
    const chance = new Chance(seed);
    const places = swept(chance);
    const counts = { secrets: 0, cuts: 0, megabytes: 0 };
    for (const group of inGroups(places, groupSize)) {
      const { cuts, bytes } = await sweep(group, chance);
      counts.secrets += group.length;
      counts.cuts += cuts;
      counts.megabytes += Math.round(bytes / 1e6);
      if (isLong) tell('secrets so far', counts);
    }
    tell('secrets', counts);
    expect(counts.secrets).toBe(sized(20, 1_000));
  },
);

/** A flow that says every secret it can find in its surroundings, cut in the places it is asked for. */
const blurtingConfig = `
  const names = Object.keys(process.env).filter((name) => name.startsWith('SECRETS_SWEEP_'));
  const run = async (scope, { text }) => {
    for (const name of names)
      await scope.step({ key: name, title: 'blurt ' + process.env[name] }, async (step) => {
        const secret = process.env[name];
        const cuts = text === 'all' ? [...secret, ''].keys() : [1, secret.length >> 1, secret.length - 1];
        for (const cut of cuts) {
          step.say('so ' + secret.slice(0, cut));
          step.say(secret.slice(cut) + ' is it. ');
        }
        step.notice('SAID', secret);
      });
    await scope.step({ key: 'f' }, () => Promise.reject(new Error(names.map((name) => process.env[name]).join()))).catch(() => {});
    return names.map((name) => process.env[name]).join(' ');
  };
  export default {
    secrets: names.map((env) => ({ env })),
    apps: { blurts: { flow: { name: 'blurts', version: '1', run } } },
  };`;

/** What a terminal prints of a run that says these secrets, and what is left of it in its folder. */
async function printed(places: readonly number[]): Promise<readonly (string | Buffer)[]> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'vitrine.config.ts'), blurtingConfig);
  const env = Object.fromEntries(places.map((place) => [`SECRETS_SWEEP_${place}`, all[place] ?? '']));
  const ran = await vitrine(['run', isLong ? 'all' : 'some'], { cwd, env });
  expect(ran.code, ran.error).toBe(0);
  expect(ran.out.split(redacted).length).toBeGreaterThan(places.length);
  const [run = ''] = /run_\w+/.exec((await vitrine(['runs'], { cwd, env })).out) ?? [];
  const shown = await vitrine(['show', run], { cwd, env });
  const json = await vitrine(['show', run, '--json'], { cwd, env });
  expect(shown.out).toContain(redacted);
  expect(json.out).toContain(redacted);
  const texts = [ran, shown, json].flatMap(({ out, error }) => [out, error]);
  return [...texts, ...bytesIn(join(cwd, '.vitrine'))];
}

test(
  '[S35] [S36] [K11] of 1,000 secrets none is printed by a terminal or kept in its folder, wherever it is cut',
  { timeout: 7_200_000 },
  async () => {
    const places = swept(new Chance(seed));
    let secrets = 0;
    for (const group of inGroups(places, groupSize)) {
      const traces = new Traces(group.flatMap((place) => tracesOf(all[place] ?? '')));
      const found = (await printed(group)).flatMap((text) => traces.in(text));
      expect(found).toEqual([]);
      secrets += group.length;
    }
    tell('secrets in terminals', { secrets });
    expect(secrets).toBe(sized(20, 1_000));
  },
);
