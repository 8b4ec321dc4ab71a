// What a configuration says of tools, as its user meets it: at start, in a run, in the folder.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { order } from '../obeying-model.ts';
import { temporaryFolder } from '../serving.ts';
import { start, vitrine } from '../vitrine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = (path: string): string => JSON.stringify(join(root, path));

/** A configuration of one obeying model with these tools. */
function configured(folder: string, tools: string): void {
  writeFileSync(
    join(folder, 'vitrine.config.ts'),
    `import { obeyingModel } from ${source('test/obeying-model.ts')};
export default {
  agents: { model: { gateway: obeyingModel(), effect: 'pure' } },
  tools: ${tools},
  apps: { test: { flow: 'converse', settings: { agent: 'model', rules: { protocol: 'unified', preset: 'parallel' } } } },
};`,
  );
}

/** Every byte of every file of a folder. */
function bytesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n');
}

const recorder = (folder: string, more: string): string => `{
  name: 'rec',
  command: [process.execPath, ${source('test/mcp/recorder-stdio.ts')}, ${JSON.stringify(join(folder, 'record.txt'))}],
  ${more}
}`;

test('[M1] [S34] [S35] a secret for an MCP command is a reference, and is nowhere else', async () => {
  const folder = temporaryFolder();
  const secret = 'kZ9-very-secret-token-77';
  configured(
    folder,
    `[{ mcp: ${recorder(folder, "env: { REC_TOKEN: { env: 'MY_TOKEN' }, REC_PLACE: 'here' }, trusted: true")} }]`,
  );
  const words = ['run', `Go. ${order('rec__env', {})}`, '--app', 'test', '--yes', '--json'];
  const running = start(words, { cwd: folder, env: { MY_TOKEN: secret } });
  await running.until('rec__env');
  const processes = execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' });
  const { code, out, error } = await running.ended;
  expect([code, error]).toEqual([0, expect.any(String)]);
  // The server has it, under the name it was given, and nothing else of ours.
  expect(out).toMatch(/REC_PLACE REC_TOKEN/);
  expect(out).not.toContain('MY_TOKEN');
  for (const text of [processes, out, error, bytesIn(join(folder, '.vitrine'))])
    expect(text).not.toContain(secret);
});

test('[M1] a secret that is not set is named, with its server, and one in the file is refused', async () => {
  const folder = temporaryFolder();
  configured(folder, `[{ mcp: ${recorder(folder, "env: { REC_TOKEN: { env: 'NOT_SET_HERE' } }")} }]`);
  const unset = await vitrine(['run', 'Go.', '--app', 'test'], { cwd: folder });
  expect(unset.code).toBe(2);
  expect(unset.error).toContain(
    'The MCP server rec cannot be used: set the environment variable NOT_SET_HERE.',
  );
  configured(folder, `[{ mcp: ${recorder(folder, "env: { API_TOKEN: 'sk-12345' }")} }]`);
  const literal = await vitrine(['run', 'Go.', '--app', 'test'], { cwd: folder });
  expect(literal.error).toMatch(
    /tools\[0\]\.mcp\.env\.API_TOKEN: looks like a secret: write \{ "env": "NAME" \}/,
  );
  expect(literal.error).not.toContain('sk-12345');
});

test('[M8] a tool is shown when it is first seen, asks before its first call, and is approved from a terminal', async () => {
  const folder = temporaryFolder();
  configured(folder, `[{ mcp: ${recorder(folder, "approval: { echo: 'never', greet: 'never' }")} }]`);
  const run = (): ReturnType<typeof vitrine> =>
    vitrine(['run', `Go. ${order('rec__echo', { text: 'hello' })}`, '--app', 'test', '--json'], {
      cwd: folder,
    });
  const first = await run();
  expect(first.error).toMatch(
    /New: rec__echo \(text, times; pin [0-9a-f]{8}\.[0-9a-f]{8}\) says of itself «Says what it was given/,
  );
  const [asked] = first.out.split('\n').filter((line) => line.includes('"approval.requested"'));
  for (const part of [
    'nobody has approved it yet',
    'Says what it was given',
    'recorder-stdio.ts',
    'readOnlyHint',
  ])
    expect(asked).toContain(part);
  const seen = await vitrine(['pins'], { cwd: folder });
  expect(seen.out).toMatch(
    /rec\/echo {2}[0-9a-f.]{17} {2}nobody has approved it yet\n {2}server .*recorder-stdio/,
  );
  expect((await vitrine(['pins', 'approve', 'rec'], { cwd: folder })).out).toMatch(
    /^rec\/echo is approved as /m,
  );
  expect((await vitrine(['pins', '--json'], { cwd: folder })).out).toMatch(
    /"tool":"rec\/echo".*"approved":true/,
  );
  const second = await run();
  expect(second.error).not.toContain('New: rec__echo');
  expect(second.out).not.toContain('approval.requested');
  expect(second.code).toBe(0);
  const none = await vitrine(['pins', 'approve', 'rec/nothing'], { cwd: folder });
  expect([none.code, none.error]).toEqual([
    2,
    expect.stringContaining('No tool «rec/nothing» was seen here'),
  ]);
});

test('[T35] the data folder and hidden files are out of reach of a configuration’s files, unless named', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'SECRET=swordfish');
  writeFileSync(join(folder, '.notes'), 'notes of ours');
  configured(folder, `[{ files: '.', hidden: ['.notes'] }]`);
  const reads = ['.env', 'data/vitrine.db', '.notes'].map((path) => order('read_file', { path })).join(' ');
  const data = ['--data', join(folder, 'data')];
  await vitrine(['keys', 'create', 'ada', ...data], { cwd: folder });
  const { out } = await vitrine(['run', `Go. ${reads}`, '--app', 'test', '--json', ...data], { cwd: folder });
  expect(out).toContain('notes of ours');
  for (const secret of ['swordfish', '"hash"', 'createdAt']) expect(out).not.toContain(secret);
  expect(out.match(/is hidden here/g)?.length).toBeGreaterThanOrEqual(2);
});
