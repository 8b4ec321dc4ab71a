import { realpathSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  everything,
  everythingOverHttp,
  filesystem,
  find,
  opened,
  person,
  recording,
  temporary,
  watched,
} from '../../../test/mcp/servers.ts';
import { toolContract } from '../tool.contract.ts';
import { memoryPins } from './pins.ts';
import { mcpServer } from './mcp.ts';

const signal = AbortSignal.timeout(120_000);
const open = opened();
const overHttp = await everythingOverHttp();
afterAll(() => overHttp.kill());

describe.each([
  { name: 'stdio', server: open({ name: 'every', command: everything }) },
  { name: 'HTTP', server: open({ name: 'every', url: overHttp.url }) },
])('server-everything over $name', ({ server }) => {
  test('[M2] its tools are listed, and what it cannot offer us is told', async () => {
    const { tools, notices } = await server.list(signal);
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(['every__echo', 'every__get-sum', 'every__trigger-elicitation-request']),
    );
    expect(notices).toContainEqual(expect.stringMatching(/simulate-research-query of every is left out/));
    expect(notices).toContainEqual(
      expect.stringMatching(
        /^New: every__get-sum \(a, b; pin [0-9a-f]{8}\.[0-9a-f]{8}\) says of itself «Returns/,
      ),
    );
    expect(notices).toHaveLength(tools.length + 1);
    expect((await server.list(signal)).notices).toHaveLength(1);
  });

  test('[M4] effects and approvals follow its annotations', async () => {
    const sum = await find(server, 'get-sum');
    expect(sum).toMatchObject({ effect: 'pure', approval: 'never', timeout: 60_000 });
    expect(sum.schema).toMatchObject({ type: 'object', required: ['a', 'b'] });
    expect(await find(server, 'toggle-simulated-logging')).toMatchObject({
      effect: 'once',
      approval: 'always',
    });
  });

  test('[M5] progress is shown before the result', async () => {
    const seen: unknown[] = [];
    const tool = await find(server, 'trigger-long-running-operation');
    const say = (text: string): void => void seen.push(text);
    seen.push(await tool.run({ duration: 0.3, steps: 3 }, watched({ say })));
    expect(seen).toEqual(['1/3\n', '2/3\n', '3/3\n', expect.stringMatching(/operation completed/)]);
  });

  test('[M6] a question of the server is answered by a person', async () => {
    const { ask, asked } = person({ name: 'Ada', integer: 7, check: true });
    const tool = await find(server, 'trigger-elicitation-request');
    expect(await tool.run({}, watched({ ask }))).toMatch(
      /Name: Ada\n- Agreed to terms: true\n- Favorite Integer: 7/,
    );
    expect(asked).toEqual([
      {
        title: 'every asks',
        message: 'Please provide inputs for the following fields:',
        schema: expect.objectContaining({ type: 'object', required: ['name'] }),
      },
    ]);
  });

  test('[M6] a question is declined where there is nobody to ask', async () => {
    const context = watched();
    const tool = await find(server, 'trigger-elicitation-request');
    expect(await tool.run({}, context)).toMatch(/User declined/);
    expect(context.said).toEqual([expect.stringMatching(/nobody can answer here/)]);
  });

  test('[M7] structured content, images and resources arrive', async () => {
    const context = watched();
    const weather = await find(server, 'get-structured-content');
    expect(await weather.run({ location: 'Chicago' }, context)).toEqual({
      temperature: 36,
      conditions: 'Light rain / drizzle',
      humidity: 82,
    });
    const image = await find(server, 'get-tiny-image');
    expect(await image.run({}, context)).toMatch(/\n\[attached: image\/png\]\n/);
    expect(context.items).toMatchObject([{ kind: 'attachment', attachment: { type: 'image/png' } }]);
  });

  test('[M5] bad arguments are refused before the server sees them', async () => {
    const tool = await find(server, 'get-sum');
    await expect(tool.run({ a: 'x' }, watched())).rejects.toMatchObject({
      failure: {
        code: 'malformed',
        message: expect.stringMatching(/must have required property 'b'; a must be number/),
      },
    });
    await expect(tool.run([], watched())).rejects.toMatchObject({ failure: { code: 'malformed' } });
  });
});

describe('server-filesystem', () => {
  const folder = realpathSync(temporary());
  const server = open({
    name: 'files',
    command: [...filesystem, folder],
    approval: { write_file: 'always', edit_file: () => false },
  });

  test('[M4] the approval of a tool can be set by its name', async () => {
    expect(await find(server, 'write_file')).toMatchObject({ effect: 'idempotent', approval: 'always' });
    expect(await find(server, 'create_directory')).toMatchObject({ effect: 'idempotent', approval: 'never' });
    expect(await find(server, 'move_file')).toMatchObject({ effect: 'once', approval: 'always' });
    const { approval } = await find(server, 'edit_file');
    expect(typeof approval === 'function' && approval({})).toBe(false);
  });

  test('files are written and read', async () => {
    const path = join(folder, 'note.txt');
    await (await find(server, 'write_file')).run({ path, content: 'from the model' }, watched());
    expect(readFileSync(path, 'utf8')).toBe('from the model');
    writeFileSync(path, 'from the disk');
    expect(await (await find(server, 'read_text_file')).run({ path }, watched())).toEqual({
      content: 'from the disk',
    });
  });

  test('[M7] what it refuses is a failure with its reason', async () => {
    const read = (await find(server, 'read_text_file')).run({ path: '/etc/passwd' }, watched());
    await expect(read).rejects.toMatchObject({
      failure: { code: 'rejected', message: expect.stringMatching(/Access denied/) },
    });
  });
});

describe.each([
  { name: 'stdio', settings: { name: 'rec', command: recording().command } },
  { name: 'stdio before 2026', settings: { name: 'rec', command: recording('old').command } },
])('$name', ({ name, settings }) => {
  toolContract(`a tool of an MCP server over ${name}`, async () => ({
    tool: await find(open(settings), 'echo'),
    good: { text: 'hello', times: 2 },
    slow: { text: 'hello', times: 0 },
    failing: [{ input: { text: 'fail' }, names: 'It was told to fail' }],
  }));
});

test('[M2] a tool that did not change is the same tool in every listing', async () => {
  const server = open({ name: 'rec', command: recording().command });
  expect(await find(server, 'greet')).toBe(await find(server, 'greet'));
});

describe('a server that changes', () => {
  test('[M2] all pages are listed, with names told apart', async () => {
    const server = open({ name: 'many', command: recording('paged').command });
    await server.list(signal);
    const { tools, notices } = await server.list(signal);
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual([
      expect.stringMatching(/^many__a_b_[0-9a-f]{8}$/),
      'many__a_b',
      expect.stringMatching(/^many__a_b_[0-9a-f]{8}$/),
      expect.stringMatching(/^many__x+_[0-9a-f]{8}$/),
      'many__same',
      'many__twin',
      'many__other-twin',
    ]);
    expect(new Set(names).size).toBe(7);
    expect(notices).toEqual([
      'The tool same of many is left out: there is another one of this name.',
      'The tool broken of many is left out: its schema cannot be used.',
      'The tool long of many is left out: its description and schema are too large.',
    ]);
  });

  test('[M8] [S27] a description that changes while it runs needs approval before the tool runs again', async () => {
    const server = open({ name: 'sly', command: recording().command });
    const before = await find(server, 'greet');
    expect(before).toMatchObject({ approval: 'never' });
    await (await find(server, 'change')).run({}, watched());
    await expect(before.run({}, watched())).rejects.toMatchObject({
      failure: { code: 'rejected', message: expect.stringMatching(/changed since it was listed/) },
    });
    const after = await find(server, 'greet');
    expect(after.caution?.(watched())).toMatch(/description/);
    expect(await after.run({}, watched())).toBe('hello');
    const approved = await find(server, 'greet');
    expect([approved.approval, approved.doubt(watched())]).toEqual(['never', undefined]);
  });

  test('[M8] [S26] a description that changed between two starts is found by the pins that are kept', async () => {
    const pins = memoryPins();
    const record = recording();
    const settings = { name: 'sly', pins, command: record.command };
    const first = open(settings);
    await first.list(signal);
    await first.close();
    const second = open({ ...settings, command: [...record.command, 'changed'] });
    const { tools, notices } = await second.list(signal);
    expect(tools.every((tool) => tool.caution?.(watched()) !== undefined)).toBe(true);
    expect(notices).toContainEqual(
      expect.stringMatching(/sly__greet needs approval: the command .* and its desc/),
    );
    await (await find(second, 'greet')).run({}, watched());
    expect((await find(second, 'greet')).doubt(watched())).toBeUndefined();
    expect((await find(second, 'pid')).doubt(watched())).toBeDefined();
  });
});

describe('a server that nobody trusts', () => {
  test('[M8] to be listed approves nothing; the first call does, and what a person should know is said in full', async () => {
    const settings = {
      name: 'new',
      trusted: false,
      effect: { echo: 'pure' as const },
      command: recording().command,
    };
    const server = open(settings);
    const tool = await find(server, 'echo');
    await server.list(signal);
    expect(tool).toMatchObject({ approval: 'never', effect: 'pure', sends: true, untrusted: true });
    for (const part of [
      'nobody has approved it yet',
      'Says what it was given',
      '"times"',
      settings.command[0],
    ])
      expect(tool.caution?.(watched())).toContain(part);
    await tool.run({ text: 'hello' }, watched());
    expect(tool.caution?.(watched())).toBeUndefined();
    expect(tool.caution?.(watched({ tenant: 'other' }))).toContain('nobody has approved it yet');
    expect(await find(server, 'echo')).toBe(tool);
  });

  test('[M8] what a person approves from another terminal counts at once', async () => {
    const pins = memoryPins();
    const server = open({ name: 'new', trusted: false, pins, command: recording().command });
    const tool = await find(server, 'echo');
    const { seen } = pins.get('new/echo') ?? expect.fail('it was not seen');
    expect(seen).toMatchObject({ description: tool.description, schema: { type: 'object' } });
    await pins.change(new Map([['new/echo', () => ({ seen, approved: seen.pin })]]));
    expect(tool.doubt(watched())).toBeUndefined();
  });

  test('[S27] a tool cannot take the name of another server’s tool', async () => {
    const one = open({ name: 'one', trusted: false, command: recording().command });
    const { tools } = await one.list(signal);
    expect(tools.every(({ name }) => name.startsWith('one__') && !name.slice(5).includes('__'))).toBe(true);
  });
});

const wrong = [
  { name: 'neither', settings: { name: 'x' }, message: /needs a command or a url/ },
  { name: 'both', settings: { name: 'x', command: ['a'], url: 'http://127.0.0.1' }, message: /only one/ },
  { name: 'no program', settings: { name: 'x', command: [] }, message: /name a program/ },
  { name: 'another scheme', settings: { name: 'x', url: 'file:///etc/passwd' }, message: /http:\/\// },
  { name: 'a bad name', settings: { name: 'a__b', command: ['a'] }, message: /server name/ },
];
test.for(wrong)('settings with $name are refused before anything starts', ({ settings, message }) => {
  expect(() => mcpServer(settings as Parameters<typeof mcpServer>[0])).toThrow(message);
});
