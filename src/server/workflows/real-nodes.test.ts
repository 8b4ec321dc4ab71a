import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import type { Gateway } from '../../gateways/gateway.ts';
import type { Json } from '../../run/values.ts';
import { codeTool } from '../../tools/code/code.ts';
import { documentTools } from '../../tools/documents/documents.ts';
import { serving, temporaryFolder } from '../../../test/serving.ts';
import { answering, graphOf } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';

type Graph = Record<string, Json>;

/** A model that looks once, and then says what it saw. */
const looking: Gateway = {
  async *takeTurn({ messages }) {
    if (!messages.some(({ text }) => text.includes('wide open'))) {
      yield [{ type: 'call.appended', call: 'c1', tool: 'look', text: '{"at": "door"}' }];
      yield [{ type: 'turn.finished', reason: 'calls' }];
      return;
    }
    yield [
      { type: 'text.appended', text: 'It is open.' },
      { type: 'turn.finished', reason: 'stop' },
    ];
  },
};

const plan = JSON.stringify({
  strategy: 'single',
  reasoning: 'it is about the door',
  tasks: [{ agent: 'expert', message: 'Look at the door.' }],
});

async function placeWithNotes(): Promise<string> {
  const server = createServer((request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url })),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

test('[WF1] agents with tools, teams, code, requests and searches do their work by what is configured', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'doors.md'), '# Doors\n\nA door that sticks is oiled.\n');
  const { gateway: team } = answering('team', (text) =>
    text.includes('Look at the door.') && !text.includes('oiled') ? 'It sticks.' : 'The team says: oil it.',
  );
  const { gateway: router } = answering('router', () => plan);
  const at = await serving({
    config: {
      agents: {
        looker: { gateway: looking, description: 'Looks.' },
        router: { gateway: router, description: 'Plans.' },
        expert: { gateway: team, description: 'Knows doors.' },
      },
      tools: [
        toolOf('look', () => 'wide open'),
        codeTool(),
        ...documentTools({ root: folder, trusted: true }),
      ],
      connections: { notes: { url: await placeWithNotes(), trusted: true } },
    },
  });
  const settings = {
    router: 'router',
    writer: 'expert',
    fallback: 'expert',
    agents: [{ name: 'expert', description: 'Knows doors.' }],
  };
  const graph = {
    ...graphOf(
      [
        { id: 'agent', type: 'agent', agent: 'looker', message: 'How is the door?', tools: ['look'] },
        { id: 'team', type: 'team', message: 'What of the door?', settings },
        {
          id: 'code',
          type: 'code',
          code: 'input.words.map((word) => word.length)',
          input: { words: '{{nodes.agent.output.split(" ")}}' },
        },
        { id: 'http', type: 'http', connection: 'notes', method: 'GET', path: '/{{input.text}}' },
        { id: 'retrieve', type: 'retrieve', query: 'a door that sticks' },
      ],
      'agent>code',
    ),
    name: 'doors',
  } as unknown as Graph;
  const client = vitrineClient({ url: at.url });
  expect(await client.workflows.save('doors', graph)).toMatchObject({ problems: [] });
  await client.workflows.publish('doors');
  const { run } = await client.workflows.start('doors', { input: { text: 'a door' } });
  for await (const { status } of client.follow(run)) if (status !== 'running') break;
  const tree = await client.tree(run);
  expect(tree.failure).toBeUndefined();
  const outputs = Object.fromEntries(
    tree.steps
      .filter(({ parent }) => parent === 0)
      .map(({ key, result }) => [key, Reflect.get(Object(result), 'output') as Json]),
  );
  expect(outputs).toMatchObject({
    agent: 'It is open.',
    team: 'The team says: oil it.',
    code: [2, 2, 5],
    http: { status: 200, body: { path: '/api/a%20door' } },
    retrieve: [{ title: expect.stringContaining('Doors'), text: expect.stringContaining('is oiled') }],
  });
  const below = (key: string) => {
    const node = tree.steps.find((step) => step.key === key && step.parent === 0);
    return tree.steps.filter(({ parent }) => parent === node?.id).map(({ kind }) => kind);
  };
  expect(below('agent')).toEqual(['registration', 'turn', 'call', 'turn']);
  expect(at.problems).toEqual([]);
});
