import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/vitrine.js', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-assistant-'));
  mkdirSync(join(folder, 'docs'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function vitrine(...args: string[]): Promise<{ code: number; output: string; problems: string }> {
  const child = spawn(process.execPath, [bin, ...args, '--data', join(folder, 'data')], {
    env: { ...process.env, VITRINE_PACE: '0' },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, problems] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (problems += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output, problems };
}

test.for(['two-stage', 'unified'])(
  '[C keyless] the %s summary quotes a sentence that exists only in this folder',
  async (protocol) => {
    const word = randomBytes(6).toString('hex');
    const sentence = `The lighthouse of ${word} burns seaweed on even days.`;
    writeFileSync(
      join(folder, 'docs', 'design.md'),
      `# The design of ${word}\n\n${sentence} It has a red door.\n`,
    );
    writeFileSync(join(folder, 'docs', 'recipes.md'), '# Soup\n\nBoil the leeks.\n');
    const { code, output, problems } = await vitrine(
      'run',
      'summarise the design document in ./docs',
      '--files',
      './docs',
      '--protocol',
      protocol,
    );
    expect(problems).toMatch(/^The model is a script.*\n$/);
    expect(code).toBe(0);
    expect(output.split('\n\n').slice(-2).join('\n')).toContain(sentence);
    expect(output).toContain('read_file');
  },
);

test('the tools of an MCP server are offered, and the server ends with the command', async () => {
  const server = join(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
    '../dist/index.js',
  );
  const { code, output, problems } = await vitrine(
    'run',
    'hello',
    '--mcp',
    `${process.execPath} ${server} stdio`,
  );
  expect(problems).toContain('simulate-research-query of everything is left out');
  expect(code).toBe(0);
  expect(output).toContain('everything__echo');
});

test.for([
  {
    name: 'a protocol nobody knows',
    args: ['--protocol', 'three-stage'],
    says: '--protocol is «three-stage»',
  },
  { name: 'an endpoint without a model', args: ['--base-url', 'http://127.0.0.1:9/v1'], says: '--model' },
  { name: 'an empty MCP command', args: ['--mcp', ' '], says: '--mcp' },
])('$name is refused with the fix', async ({ args, says }) => {
  const { code, problems } = await vitrine('run', 'hello', ...args);
  expect(problems).toContain(says);
  expect(code).toBe(2);
});
