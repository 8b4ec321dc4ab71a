import { expect, test } from 'vitest';
import type { AgentEvent } from './gateway.ts';
import { scriptedGateway } from './scripted.ts';
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
