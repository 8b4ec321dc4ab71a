import { describe, expect, test } from 'vitest';
import { scriptedGateway } from '../gateways/scripted/scripted.ts';
import { readConfig } from './config.ts';

const flow = { name: 'own', version: '1', run: () => Promise.resolve('') };

describe('a configuration', () => {
  test('may be empty', () => {
    expect(readConfig({}, 'f')).toMatchObject({ models: {}, agents: {}, tools: [], apps: {}, limits: {} });
  });

  test('holds models, agents, tools, apps and limits', () => {
    const config = readConfig(
      {
        models: {
          fast: { baseUrl: 'http://localhost:1/v1', model: 'm', key: { env: 'KEY' }, timeouts: { idle: 5 } },
        },
        agents: { helper: { model: 'fast' }, remote: { gateway: scriptedGateway([]), effect: 'once' } },
        tools: [{ name: 't', description: '', schema: {}, effect: 'pure', run: () => Promise.resolve(null) }],
        apps: {
          one: { flow: 'converse', settings: { anything: 1 } },
          two: { flow, limits: { turns: 3 }, preferences: { stages: 'flat', names: ['Search'], depth: 3 } },
        },
        defaultApp: 'two',
        limits: { seconds: 60 },
      },
      'f',
    );
    expect(config.apps['two']?.flow).toBe(flow);
    expect(config.apps['two']?.preferences).toEqual({ stages: 'flat', names: ['Search'], depth: 3 });
    expect(config.agents['helper']).toEqual({ description: '', model: 'fast' });
  });

  test.for<[name: string, config: unknown, sentence: string]>([
    ['no object', 5, 'the whole: must be an object, not a number'],
    ['an unknown field', { modles: {} }, 'the whole: «modles» is not known here; remove or rename it'],
    [
      'a secret in the file',
      modelWith({ key: 'sk-1' }),
      'models.m.key: a secret is a reference: write { "env"',
    ],
    [
      'a strange variable',
      modelWith({ key: { env: 'A B' } }),
      'models.m.key.env: write the name of an environment',
    ],
    ['a word there is not', { server: { log: 'loud' } }, 'server.log: must be «silent», «error» or «info»'],
    [
      'a word there is not, of a tool',
      { tools: [{ mcp: { name: 'm', command: ['m'], approval: { a: 'maybe' } } }] },
      'tools[0].mcp.approval.a: must be «never» or «always»',
    ],
    ['no address', modelWith({ baseUrl: 'here' }), 'models.m.baseUrl: write an address like https://host/v1'],
    [
      'a timeout below zero',
      modelWith({ timeouts: { idle: -1 } }),
      'models.m.timeouts.idle: must be more than 0',
    ],
    ['an agent out of reach', { agents: { a: {} } }, 'agents.a: say how it is reached, in one way: «model»'],
    [
      'an agent reached in two ways',
      { agents: { a: { gateway: scriptedGateway([]), dial: dialAgent() } } },
      'agents.a: say how it is reached, in one way',
    ],
    [
      'a DIAL key in the file',
      { agents: { a: { dial: { ...dialAgent(), key: 'sk' } } } },
      'agents.a.dial.key: a secret is a reference',
    ],
    [
      'a conversation service nowhere',
      { agents: { a: { conversation: { baseUrl: '' } } } },
      'agents.a.conversation.baseUrl: write an address like http://host:8042',
    ],
    [
      'an unknown source of tools',
      { tools: [{ filez: '.' }] },
      'tools[0]: «filez» is not known here; remove or rename it',
    ],
    ['two sources in one', { tools: [{ files: '.', code: true }] }, 'tools[0]: give a tool'],
    [
      'an MCP server nowhere',
      { tools: [{ mcp: { name: 'x' } }] },
      'tools[0].mcp: give a «command» as a list',
    ],
    [
      'an MCP command as one text',
      { tools: [{ mcp: { name: 'x', command: 'npx y' } }] },
      'tools[0].mcp.command: must be a list, not a text',
    ],
    ['a model that is not there', { agents: { a: { model: 'x' } } }, 'agents.a.model: there is no model «x»'],
    ['no flow', { apps: { a: { flow: { name: 'x' } } } }, 'apps.a.flow: name a flow, or give one'],
    [
      'a preference that is none',
      { apps: { a: { flow, preferences: { stages: 'sideways' } } } },
      'apps.a.preferences.stages: must be «nested», «flat», «prefix» or «off»',
    ],
    [
      'a depth below zero',
      { apps: { a: { flow, preferences: { depth: -1 } } } },
      'apps.a.preferences.depth: must be at least 0',
    ],
    [
      'names that are no list',
      { apps: { a: { flow, preferences: { names: 'Search' } } } },
      'apps.a.preferences.names: must be a list, not a text',
    ],
    [
      'an unknown preference',
      { apps: { a: { flow, preferences: { show: 'flat' } } } },
      'apps.a.preferences: «show» is not known here; remove or rename it',
    ],
    ['no tool', { tools: [{}] }, 'tools[0]: give a tool'],
    ['a wrong limit', { limits: { turns: 0 } }, 'limits.turns: must be more than 0'],
    ['an unknown limit', { limits: { turn: 1 } }, 'limits: «turn» is not known here'],
    [
      'a default that is not there',
      { defaultApp: 'x' },
      'defaultApp: there is no app «x» under «apps»; known: none',
    ],
    ['a strange name', { apps: { 'a b': { flow } } }, 'apps.a b: use up to 64 letters, digits'],
  ])('with %s is refused by field and fix', ([, config, sentence]) => {
    expect(() => readConfig(config, 'vitrine.config.ts')).toThrow(sentence);
    expect(() => readConfig(config, 'vitrine.config.ts')).toThrow('vitrine.config.ts is not a configuration');
  });
});

function dialAgent() {
  return { baseUrl: 'http://localhost', deployment: 'd', key: { env: 'KEY' } };
}

function modelWith(more: object): unknown {
  return { models: { m: { baseUrl: 'http://localhost/v1', model: 'x', ...more } } };
}
