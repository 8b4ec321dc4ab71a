import { expect, test } from 'vitest';
import type { AgentEvent } from '../gateway.ts';
import { scriptedGateway } from '../scripted/scripted.ts';
import { sectionedGateway } from './sectioned.ts';

const answer = [
  '---QUERY---\nlinks of SYD\n---RESULTS---\n',
  '{"columns":[{"name":"link"}],"rows":[{"link":"L1"}]}\n',
  '---ANALYSIS---\nOne link.',
];

async function told(text: string[]): Promise<AgentEvent[]> {
  const gateway = sectionedGateway(
    scriptedGateway(() => [{ type: 'say', text }]),
    'graph',
  );
  const turn = { messages: [], conversation: 'c', idempotencyKey: 'k' };
  const events: AgentEvent[] = [];
  for await (const chunk of gateway.takeTurn(turn, new AbortController().signal)) events.push(...chunk);
  return events;
}

test('what an answer in sections describes is attached once it is whole, before the turn is finished', async () => {
  const events = await told(answer);
  expect(events.map(({ type }) => type)).toEqual([
    ...answer.map(() => 'text.appended'),
    'item.attached',
    'turn.finished',
  ]);
  expect(events.at(-2)).toMatchObject({ item: { kind: 'visualization', shape: 'table' } });
});

test('an answer without sections is told as it is', async () => {
  expect((await told(['Hello.'])).map(({ type }) => type)).toEqual(['text.appended', 'turn.finished']);
});

test.for<[string, string, string, object]>([
  [
    'an action',
    'application/json',
    '{"is_action":true,"name":"dispatch","action":{"to":"SYD"}}',
    { kind: 'action', name: 'dispatch', data: { to: 'SYD' } },
  ],
  [
    'a chart',
    'application/vnd.plotly.v1+json',
    '{"data":[]}',
    { kind: 'visualization', shape: 'chart', data: { data: [] } },
  ],
  ['some JSON', 'application/json', '{"a":1}', { kind: 'attachment' }],
  ['what is no JSON', 'application/json', '{', { kind: 'attachment' }],
  ['a text', 'text/plain', 'hello', { kind: 'attachment' }],
])('%s that is attached becomes what it stands for', async ([, type, data, expected]) => {
  const item = { kind: 'attachment', attachment: { type, data } } as const;
  const gateway = sectionedGateway(
    scriptedGateway(() => [{ type: 'item.attached', item }]),
    'field',
  );
  const events: AgentEvent[] = [];
  const turn = { messages: [], conversation: 'c', idempotencyKey: 'k' };
  for await (const chunk of gateway.takeTurn(turn, new AbortController().signal)) events.push(...chunk);
  expect(events[0]).toMatchObject({ type: 'item.attached', item: expected });
});
