import { describe, expect, test } from 'vitest';
import { namedModel } from './named-model.ts';

const openai = { OPENAI_API_KEY: 'k' };
const all = { ...openai, ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g' };

describe('[V102] a model that is named', () => {
  test.for([
    ['gpt-5.2', openai, 'https://api.openai.com/v1', 'OPENAI_API_KEY'],
    ['claude-sonnet-4-5', all, 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'],
    ['gemini-2.5-flash', all, 'https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY'],
    // Nobody knows whose it is, and there is one key.
    ['my-tuned-one', openai, 'https://api.openai.com/v1', 'OPENAI_API_KEY'],
    [
      'gpt-5.2',
      { ...openai, OPENAI_BASE_URL: 'http://127.0.0.9:1/v1' },
      'http://127.0.0.9:1/v1',
      'OPENAI_API_KEY',
    ],
  ] as const)('%s is found by the keys there are', ([model, environment, baseUrl, env]) => {
    expect(namedModel({ model, baseUrl: undefined }, environment)).toEqual({ model, baseUrl, key: { env } });
  });

  test('is where it is said to be, with the usual key if there is one', () => {
    const baseUrl = 'http://localhost:11434/v1';
    expect(namedModel({ model: 'qwen3', baseUrl }, {})).toEqual({ model: 'qwen3', baseUrl });
    expect(namedModel({ model: 'qwen3', baseUrl }, openai)).toMatchObject({ key: { env: 'OPENAI_API_KEY' } });
  });

  test.for([
    ['gpt-5.2', {}, 'gpt-5.2 is a model of OpenAI: set OPENAI_API_KEY'],
    ['claude-x', openai, 'claude-x is a model of Anthropic: set ANTHROPIC_API_KEY, or say with --base-url'],
    ['qwen3', {}, 'It is not known where qwen3 is (no key is set): say --base-url <url>'],
    [
      'qwen3',
      all,
      '(keys of Anthropic and Google and OpenAI are set): say --base-url <url>, or set only one of',
    ],
    [undefined, {}, 'say which model with --model <name>'],
  ] as const)('%s says what is missing', ([model, environment, sentence]) => {
    const baseUrl = model === undefined ? 'http://x/v1' : undefined;
    expect(() => namedModel({ model, baseUrl }, environment)).toThrow(sentence);
  });
});
