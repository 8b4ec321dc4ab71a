// What a person agrees to is what runs. A field that copying loses would be shown and not run.
import { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { functionTool } from '../../src/index.ts';
import { serveHttp } from '../mcp/servers.ts';
import { obeyingModel, order } from '../obeying-model.ts';
import { serving, textAt, untilAnswer } from '../serving.ts';

const sly = JSON.parse('{"q":"1","more":[{"__proto__":{"all":true}}]}') as object;

test('[T102] arguments with a field «__proto__», however deep, are refused by every tool alike and asked about by none', async () => {
  const ran: unknown[] = [];
  const served = await serveHttp(() => {
    const server = new McpServer({ name: 'far', version: '1' });
    const inputSchema = z.looseObject({ q: z.string() });
    server.registerTool('look', { description: 'Looks.', inputSchema }, (input) => {
      ran.push(input);
      return { content: [{ type: 'text', text: 'seen' }] };
    });
    return server;
  });
  onTestFinished(() => served.close());
  const near = functionTool({
    name: 'near',
    description: 'Looks.',
    input: z.looseObject({ q: z.string().describe('What.') }),
    effect: 'once',
    approval: 'always',
    run: (input) => Promise.resolve(ran.push(input)),
  });
  const at = await serving({
    config: {
      agents: { model: { gateway: obeyingModel(), effect: 'pure' } },
      tools: [{ mcp: { name: 'far', url: served.url } }, near],
      apps: {
        test: {
          flow: 'converse',
          settings: { agent: 'model', rules: { protocol: 'unified', preset: 'parallel' } },
        },
      },
    },
  });
  const text = `${order('far__look', sly)} ${order('near', sly)}`;
  const run = textAt(await at.ask('/api/runs', { json: { input: { text } } }), 'run');
  const ended = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => /^(?:waiting|completed|failed)$/.test(textAt(answer, 'status')),
  );
  expect([textAt(ended, 'status'), ran]).toEqual(['completed', []]);
  for (const tool of ['far__look', 'near'])
    expect(ended.text).toContain(`The arguments of ${tool} have a field «__proto__»`);
});
