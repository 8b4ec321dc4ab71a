// An answer of some ten thousand words, cut off by its model: every protocol tells all of it, and that its end is missing.
import { expect, test } from 'vitest';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { say } from '../conversation.ts';
import { serving } from '../serving.ts';

const words = Array.from({ length: 9_000 }, (_, i) => `${i} and «more» `);
const line = '[This answer was cut off';

const gateway = scriptedGateway(() => words.map((word) => say(word)));
const config = {
  agents: { model: { description: 'A model.', gateway, effect: 'pure' as const } },
  apps: {
    talk: { flow: 'converse' as const, settings: { agent: 'model' }, limits: { tokens: 11_000 } },
  },
};

test('[E7] [C88] where a long answer was cut off, each protocol tells it with the line that says so', async () => {
  const at = await serving({ config });
  const { json } = await at.ask('/api/runs', { json: { app: 'talk', input: { text: 'Tell me all.' } } });
  const { run } = json as { readonly run: string };
  const told = async (as: string): Promise<string> => (await at.ask(`/api/runs/${run}/events?as=${as}`)).text;
  await told('console');
  const { answer } = (await at.ask(`/api/runs/${run}`)).json as { readonly answer: string };
  expect(answer.length).toBeGreaterThan(32_768);
  expect(answer).toContain(line);
  const protocols = [
    'openai-chat',
    'openai-responses',
    'dial',
    'ai-sdk',
    'ag-ui',
    'console',
    'console-dotted',
    'execution',
    'two-stage',
  ];
  for (const protocol of protocols) {
    const text = await told(protocol);
    expect([protocol, text.includes(line), text.includes('bytes in all')]).toEqual([protocol, true, false]);
  }
});
