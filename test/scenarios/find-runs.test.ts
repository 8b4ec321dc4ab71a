// Runs are found again: by a terminal beside a server, at a server, and after the index was lost.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { appWith, serving, temporaryFolder, textAt } from '../serving.ts';
import { vitrine } from '../vitrine.ts';

const apps = {
  echo: appWith(async (_, text) => `you said ${text}`, 'echo'),
  fails: appWith(() => Promise.reject(new Error('no')), 'fails'),
};
const config = { apps, defaultApp: 'echo' };

test('[V215] [Q105] [Q117] the terminal finds runs as the API does, in a folder and at a server, also with an index made anew', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, '.vitrine');
  const at = await serving({ data, config });
  const ran = async (json: object): Promise<string> => {
    const run = textAt(await at.ask('/api/runs', { json }), 'run');
    await at.ask(`/api/runs/${run}/events`);
    return run;
  };
  const ferns = await ran({
    input: { text: 'Water the ferns' },
    labels: { project: 'garden', owner: 'ada' },
  });
  const roses = await ran({ input: { text: 'Water the roses' }, labels: { project: 'garden' } });
  const failed = await ran({ app: 'fails', input: { text: 'x' } });
  const terminal = async (
    where: readonly string[],
    ...options: readonly string[]
  ): Promise<readonly string[]> => {
    const { code, out, error } = await vitrine(['runs', '--json', ...where, ...options], { cwd });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    return out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { run: string }).run]));
  };
  const folder = ['--data', data];
  expect(await terminal(['--server', at.url], '--text', 'WATER ferns', '--label', 'owner=ada')).toEqual([
    ferns,
  ]);
  expect(await terminal(['--server', at.url], '--status', 'failed', '--app', 'fails')).toEqual([failed]);
  expect(await terminal(folder, '--label', 'project=garden', '--since', '2020-01-01')).toEqual([
    roses,
    ferns,
  ]);
  const bad = await vitrine(['runs', '--status', 'done', ...folder], { cwd });
  expect(bad).toMatchObject({ code: 2, error: expect.stringContaining('status') });
  const held = await vitrine(['reindex', ...folder], { cwd });
  expect(held).toMatchObject({ code: 1, error: expect.stringContaining('in use') });
  await at.close();

  const database = new DatabaseSync(join(data, 'vitrine.db'));
  const indexIn = (): unknown => database.prepare('SELECT * FROM term ORDER BY owner, term, holder').all();
  const [whole, facts] = [indexIn(), database.prepare('SELECT run, facts FROM run ORDER BY run').all()];
  const checked = () => vitrine(['verify', ...folder], { cwd });
  expect(await checked()).toMatchObject({ code: 0, out: expect.stringContaining('All is good') });
  database.exec('DELETE FROM term; DELETE FROM termsOf;');
  expect(await terminal(folder, '--text', 'ferns')).toEqual([]);
  const differs = await checked();
  expect(differs).toMatchObject({
    code: 1,
    out: expect.stringMatching(/otherwise than 3 journals say: «vitrine reindex»/),
  });
  expect(differs.out).toContain(`Run ${ferns} is not found as its journal says: terms.`);
  expect(await vitrine(['reindex', ...folder], { cwd })).toMatchObject({
    code: 0,
    out: expect.stringContaining('3 runs'),
  });
  expect(await checked()).toMatchObject({ code: 0 });
  expect(await terminal(folder, '--text', 'ferns')).toEqual([ferns]);
  expect([indexIn(), database.prepare('SELECT run, facts FROM run ORDER BY run').all()]).toEqual([
    whole,
    facts,
  ]);
  database.close();
});
