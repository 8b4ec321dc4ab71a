import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../test/serving.ts';
import { Config, type ConfigInput } from '../../catalog/config.ts';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';
import { openFolder } from './compose.ts';
import { secretsOf } from './secrets.ts';

afterEach(() => void vi.unstubAllEnvs());

const agent = { gateway: scriptedGateway([]) };
const delegate = (name: string, more = {}): object => ({ name, description: name, ...more });
const good = {
  router: 'thinker',
  writer: 'thinker',
  fallback: 'books',
  agents: [delegate('books'), delegate('graph')],
};

function withTeam(settings: object): ConfigInput {
  return {
    agents: { thinker: agent, books: agent, graph: agent },
    apps: { team: { flow: 'coordinate', settings: { ...good, ...settings } } },
  };
}

const known = 'known: thinker, books, graph';
const team = (settings: object): object => ({
  agents: [delegate('books'), delegate('crew', { team: { ...good, ...settings } })],
});

/** What would be said of a configuration, before anything is there. */
async function refusal(config: ConfigInput): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  try {
    const home = await openFolder({ data, config });
    await home.close();
    return 'it was opened';
  } catch (thrown) {
    expect(existsSync(data), 'nothing was opened').toBe(false);
    return thrown instanceof Error ? thrown.message : '';
  }
}

test.for([
  ['a router', { router: 'x' }, `router: there is no agent «x» under «agents»; ${known}`],
  ['a writer', { writer: 'x' }, `writer: there is no agent «x» under «agents»; ${known}`],
  [
    'a fallback',
    { fallback: 'thinker' },
    'fallback: «thinker» is not among its agents; name one of books, graph',
  ],
  ['an agent', { agents: [delegate('books'), delegate('x')] }, `agents[1].name: there is no agent «x»`],
  ['nobody', { agents: [] }, 'agents: name at least one agent'],
  [
    'one twice',
    { agents: [delegate('books'), delegate('books')] },
    'agents[1].name: «books» stands here twice',
  ],
  ['a router of a team', team({ router: 'x' }), 'agents[1].team.router: there is no agent «x»'],
  [
    'an agent of a team',
    team({ agents: [delegate('books'), delegate('x')] }),
    'agents[1].team.agents[1].name: ',
  ],
  ['a word for failures', { onFailure: 'panic' }, 'onFailure: '],
] as const)('[K45] %s that is not there is said at the start, by its field', async ([, settings, why]) => {
  const message = await refusal(withTeam(settings));
  expect(message).toContain('The configuration does not fit: apps.team.settings.');
  expect(message).toContain(why);
});

test('[K45] what is right is opened, and a team needs no agent of its own name', async () => {
  expect(await refusal(withTeam(team({})))).toBe('it was opened');
});

test('[K45] so is the agent of a conversation that nobody is', async () => {
  const config: ConfigInput = { apps: { talk: { flow: 'converse', settings: { agent: 'x' } } } };
  expect(await refusal(config)).toContain('apps.talk.settings.agent: there is no agent «x»');
});

test('[K45] so is a tool that nobody brings, and one that a server may bring is waited for', async () => {
  const wanting = (...tools: string[]): ConfigInput => ({
    agents: { thinker: agent },
    tools: [{ code: true }, { mcp: { name: 'away', url: 'http://127.0.0.9:9' } }],
    apps: { talk: { flow: 'converse', settings: { agent: 'thinker', tools } } },
  });
  expect(await refusal(wanting('nope'))).toBe(
    'The configuration does not fit: apps.talk.settings.tools: there is no tool «nope»; known: run_javascript.',
  );
  expect(await refusal(wanting('run_javascript', 'away__look'))).toBe('it was opened');
});

test('[V172] a folder for tools that is not there is said at the start, by field', async () => {
  const tools = [{ code: true } as const, { files: '/nowhere/at/all' }];
  expect(await refusal({ tools })).toBe(
    'The configuration does not fit: tools[1].files: there is no folder /nowhere/at/all.',
  );
});

test('[K46] [V173] a secret that the configuration names must be set', async () => {
  expect(await refusal({ secrets: [{ env: 'VITRINE_TEST_MISSING' }] })).toBe(
    'The configuration does not fit: secrets[0]: set the environment variable VITRINE_TEST_MISSING.',
  );
});

test('[V173] what a configuration names as secret, and the key of any provider, is told to nobody', async () => {
  vi.stubEnv('VITRINE_TEST_NAMED', 'named-and-very-secret');
  vi.stubEnv('SOMEBODY_API_KEY', 'sk-somebody-very-secret');
  const { secrets, names } = secretsOf(Config.parse({ secrets: [{ env: 'VITRINE_TEST_NAMED' }] }));
  expect(secrets.clean('It is named-and-very-secret, or sk-somebody-very-secret.')).toBe(
    'It is [redacted], or [redacted].',
  );
  expect(names).toEqual(expect.arrayContaining(['VITRINE_TEST_NAMED', 'SOMEBODY_API_KEY']));
});

test('[K46] a key that is in no variable is said at the start, by field and variable', async () => {
  const key = { env: 'VITRINE_TEST_MISSING' };
  const [baseUrl, conversation] = ['http://127.0.0.9:9', { baseUrl: 'http://127.0.0.9:9', key }];
  const config: ConfigInput = {
    models: {
      large: { baseUrl, model: 'm', key },
      spare: { baseUrl, model: 'm', key: { env: 'VITRINE_TEST_SPARE' } },
    },
    agents: {
      thinker: { model: 'large' },
      general: { dial: { baseUrl, deployment: 'd', key } },
      users: { conversation },
    },
  };
  expect(await refusal(config)).toBe(
    'The configuration does not fit: models.large.key: set the environment variable VITRINE_TEST_MISSING; ' +
      'agents.general.dial.key: set the environment variable VITRINE_TEST_MISSING; ' +
      'agents.users.conversation.key: set the environment variable VITRINE_TEST_MISSING.',
  );
  vi.stubEnv('VITRINE_TEST_MISSING', 'a good long key');
  expect(await refusal(config)).toBe('it was opened');
});
