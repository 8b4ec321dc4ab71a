import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { appWith, idsIn, serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../serving.ts';
import { vitrine } from '../vitrine.ts';

const apps = {
  asks: appWith(async (scope, text) => {
    scope.say(`before ${text}`);
    await scope.ask({ key: 'q', title: 'Shall I?' });
    return `done ${text}`;
  }, 'asks'),
  plain: appWith(async (scope, text) => {
    const history = await scope.history();
    for (const word of text.split(' ')) await scope.step({ key: word, title: word }, async () => word);
    return `${history.map(({ text: said }) => said).join('+')}|${text}`;
  }, 'plain'),
};
const config = { apps, defaultApp: 'plain' };
let data: string;
beforeEach(() => (data = temporaryFolder()));

async function start({ ask }: Serving, app: string, text: string): Promise<string> {
  return textAt(await ask('/api/runs', { json: { app, input: { text } } }), 'run');
}

async function reaches({ ask }: Serving, run: string, status: string): Promise<void> {
  await untilAnswer(
    () => ask(`/api/runs/${run}`),
    ({ json }) => (json as { status?: string }).status === status,
  );
}

/** One letter of what a run recorded is another one on the disk, in its last chunk. */
function damage(run: string): void {
  const database = new DatabaseSync(join(data, 'vitrine.db'));
  const changed = database
    .prepare(
      `UPDATE chunk SET frames = replace(frames, '"type"', '"tyqe"')
        WHERE run = (SELECT number FROM run WHERE run = ?1)
          AND last = (SELECT max(last) FROM chunk WHERE run = (SELECT number FROM run WHERE run = ?1))`,
    )
    .run(run).changes;
  database.close();
  expect(changed).toBe(1);
}

test('[Q13, R04] a damaged waiting run is shown as damaged, and hurts nobody else', async () => {
  const before = await serving({ data, config });
  const bad = await start(before, 'asks', 'one');
  const good = await start(before, 'asks', 'two');
  for (const run of [bad, good]) await reaches(before, run, 'waiting');
  await before.close();
  damage(bad);

  const { ask, problems } = await serving({ data, config });
  const { approvals } = (await ask('/api/approvals')).json as { approvals: { run: string }[] };
  expect(approvals.map(({ run }) => run)).toEqual([good]);
  const tree = (await ask(`/api/runs/${bad}`)).json as { damaged: number; seq: number };
  expect(tree.damaged).toBeGreaterThan(0);
  expect(tree.seq).toBe(tree.damaged);
  const { runs } = (await ask('/api/runs')).json as { runs: { run: string; damaged?: number }[] };
  expect(runs).toMatchObject([{ run: good }, { run: bad, damaged: tree.damaged }]);
  expect(runs[0]).not.toHaveProperty('damaged');
  for (const path of ['/api/sessions', '/api/conversations', '/readyz', `/api/runs/${good}`])
    expect((await ask(path)).status, path).toBe(200);
  for (const path of ['events', 'events?as=console', 'events?as=steps']) {
    const stream = await ask(`/api/runs/${bad}/${path}`);
    expect(stream.status, path).toBe(200);
    if (path === 'events') expect(idsIn(stream.text).at(-1)).toBe(tree.damaged);
  }
  expect((await ask(`/api/runs/${bad}/events?after=${tree.damaged}`)).status).toBe(204);
  const entries = await ask(`/api/runs/${bad}/entries`);
  expect((entries.json as { entries: unknown[] }).entries).toHaveLength(tree.damaged);
  expect(await ask(`/api/runs/${bad}/entries?after=${tree.damaged}`)).toMatchObject({
    status: 500,
    json: { error: { code: 'damaged', after: tree.damaged } },
  });
  expect((await ask(`/api/runs/${bad}/pause`, { json: {} })).status).toBe(409);
  const approval = `/api/approvals/${bad}.a1`;
  expect([404, 409]).toContain(
    (await ask(approval, { json: { decision: 'approve', fingerprint: 'x' } })).status,
  );

  expect(await ask(`/api/runs/${bad}/stop`, { json: {} })).toMatchObject({ status: 200 });
  const after = (await ask('/api/runs?status=stopped')).json as { runs: { run: string }[] };
  expect(after.runs.map(({ run }) => run)).toEqual([bad]);
  expect((await ask(`/api/runs/${good}/stop`, { json: {} })).status).toBe(200);
  expect(problems.map(({ message }) => message)).toEqual(['A run is damaged.']);
});

test('[Q21, Q22] an ended run that is damaged is found by nobody’s reading, named, and shown so everywhere', async () => {
  const before = await serving({ data, config });
  const bad = await start(before, 'plain', 'one');
  const good = await start(before, 'plain', 'two');
  for (const run of [bad, good]) await reaches(before, run, 'completed');
  await before.close();
  damage(bad);

  const { ask, problems } = await serving({ data, config });
  const { json } = await untilAnswer(
    () => ask('/api/runs'),
    (answer) =>
      (answer.json as { runs: { damaged?: number }[] }).runs.some((row) => row.damaged !== undefined),
  );
  const { runs } = json as { runs: { run: string; damaged?: number; seq: number }[] };
  expect(runs.map(({ run, damaged }) => [run, damaged !== undefined])).toEqual([
    [good, false],
    [bad, true],
  ]);
  expect(problems.map(({ cause }) => String(cause))).toEqual([
    expect.stringContaining(`Run ${bad} is damaged: its journal is good up to entry ${runs[1]?.damaged}.`),
  ]);
  const tree = await ask(`/api/runs/${bad}`);
  expect(tree.json).toMatchObject({ status: 'completed', damaged: runs[1]?.damaged });
  const { conversations } = (await ask('/api/conversations')).json as {
    conversations: { damaged?: number }[];
  };
  expect(conversations.map(({ damaged }) => damaged)).toEqual([undefined, runs[1]?.damaged]);
  const stopped = await ask(`/api/runs/${bad}/stop`, { json: {} });
  expect(stopped).toMatchObject({ status: 409, json: { error: { code: 'rejected' } } });
  expect(textAt(stopped, 'error', 'message')).toMatch(/has ended \(completed\).* damaged after entry \d+/);
});

test('[Q21, Q23] the terminal shows it in a folder that nobody holds, and promises nothing that cannot be done', async () => {
  const before = await serving({ data, config });
  const bad = await start(before, 'plain', 'one two three');
  const good = await start(before, 'plain', 'two');
  for (const run of [bad, good]) await reaches(before, run, 'completed');
  await before.close();
  damage(bad);
  const say = (...words: string[]) => vitrine([...words, '--data', data], { cwd: data });
  const { out } = await say('runs');
  expect(out).toMatch(new RegExp(`${bad}\\s+damaged .*good up to entry \\d+ of \\d+`));
  expect(out).toMatch(new RegExp(`${good}\\s+completed`));
  const shown = await say('show', bad);
  expect(shown.error).toContain('It has ended, and can be exported.');
  expect(shown.error).not.toContain('stopped');
  expect(await say('stop', bad)).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /has ended \(completed\): there is nothing left to stop\. It is damaged after entry/,
    ),
  });
});

test('[Q24] a run whose own row is damaged is listed with what its journal says, and exported', async () => {
  const before = await serving({ data, config });
  const bad = await start(before, 'plain', 'one');
  const good = await start(before, 'plain', 'two');
  for (const run of [bad, good]) await reaches(before, run, 'completed');
  const { runs: whole } = (await before.ask('/api/runs')).json as { runs: { run: string; seq: number }[] };
  await before.close();
  const database = new DatabaseSync(join(data, 'vitrine.db'));
  database.prepare(`UPDATE run SET app = 'plaim', status = 'failed' WHERE run = ?`).run(bad);
  database.close();

  const head = whole.find(({ run }) => run === bad)?.seq ?? 0;
  const say = (...words: string[]) => vitrine([...words, '--data', data], { cwd: data });
  const exported = await say('export', bad, '--jsonl');
  expect(exported.out.trim().split('\n')).toHaveLength(head);
  expect(exported).toMatchObject({ code: 1, error: expect.stringContaining('is damaged') });
  const { ask } = await serving({ data, config });
  const { runs } = (await ask('/api/runs')).json as { runs: object[] };
  expect(runs).toMatchObject([
    { run: good, status: 'completed' },
    { run: bad, app: 'plain', title: 'one', status: 'completed', damaged: head },
  ]);
  expect((await ask(`/api/runs/${bad}`)).json).toMatchObject({ damaged: head, answer: '|one' });
  expect((await ask('/readyz')).status).toBe(200);
});

test('[Q13] a damaged run that nobody ended is taken up once, named once, and can be stopped', async () => {
  const before = await serving({ data, config: { apps: { slow: slow() } } });
  const bad = await start(before, 'slow', 'one');
  await untilAnswer(
    () => before.ask(`/api/runs/${bad}`),
    ({ json }) => (json as { seq: number }).seq > 3,
  );
  await before.close();
  damage(bad);
  const { ask, problems } = await serving({ data, config: { apps: { slow: slow() } } });
  await untilAnswer(
    () => ask('/api/runs'),
    ({ json }) => (json as { runs: { damaged?: number }[] }).runs[0]?.damaged !== undefined,
  );
  await untilAnswer(
    () => ask('/healthz'),
    () => problems.length > 0,
  );
  // Looks for work that was left are a second apart: it is not among it any more.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(problems).toHaveLength(1);
  expect(String(problems[0]?.cause)).toContain(`Run ${bad} is damaged: its journal is good up to entry`);
  expect(await ask(`/api/runs/${bad}/stop`, { json: {} })).toMatchObject({ status: 200 });
  expect((await ask('/api/runs?unfinished=true')).json).toMatchObject({ runs: [] });
});

test('[Q13] a conversation goes on without a turn that is damaged, and says so', async () => {
  const before = await serving({ data, config });
  const first = await start(before, 'plain', 'aaa');
  await reaches(before, first, 'completed');
  const { runs } = (await before.ask('/api/runs')).json as { runs: { conversation: string }[] };
  const conversation = runs[0]?.conversation ?? '';
  const second = textAt(
    await before.ask('/api/runs', { json: { input: { text: 'bbb' }, conversation } }),
    'run',
  );
  await reaches(before, second, 'completed');
  await before.close();
  damage(first);
  const server = await serving({ data, config });
  const third = textAt(
    await server.ask('/api/runs', { json: { input: { text: 'ccc' }, conversation } }),
    'run',
  );
  await reaches(server, third, 'completed');
  expect((await server.ask(`/api/runs/${third}`)).json).toMatchObject({
    answer: 'bbb|ccc',
    notices: [{ code: 'EARLIER_DAMAGED' }],
  });
  for (const path of ['sessions', 'conversations'])
    expect((await server.ask(`/api/${path}/${conversation}`)).status, path).toBe(200);
  expect((await server.ask(`/api/conversations/${conversation}`, { method: 'DELETE' })).status).toBe(204);
});

test('[Q13] the terminal shows, exports, verifies and stops a damaged run', async () => {
  const before = await serving({ data, config });
  const bad = await start(before, 'asks', 'one');
  const good = await start(before, 'plain', 'two');
  await reaches(before, bad, 'waiting');
  await reaches(before, good, 'completed');
  await before.close();
  const say = (...words: string[]) => vitrine([...words, '--data', data], { cwd: data });
  expect(await say('verify')).toMatchObject({ code: 0, out: expect.stringContaining('All is good') });
  damage(bad);
  expect(await say('verify')).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      new RegExp(`Run ${bad} is damaged: its journal is good up to entry \\d+ of \\d+`),
    ),
  });
  expect(await vitrine(['verify', '--backup', data], { cwd: data })).toMatchObject({ code: 1 });
  expect(await say('show', bad)).toMatchObject({ code: 1, error: expect.stringContaining('is damaged') });
  expect(await say('show', good)).toMatchObject({ code: 0 });
  expect(await say('approvals')).toMatchObject({ code: 0, out: '' });
  const exported = await say('export', bad, '--jsonl');
  expect(exported).toMatchObject({ code: 1, error: expect.stringContaining('good up to entry') });
  const lines = exported.out.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, i) => i + 1));
  const whole = await say('export', good, '--jsonl');
  expect(whole).toMatchObject({ code: 0, error: '' });
  expect(whole.out).toContain('"type":"run.ended"');
  expect(await say('stop', bad)).toMatchObject({ code: 0, out: expect.stringContaining('is stopped') });
  expect((await say('runs')).out).toMatch(new RegExp(`${bad}\\s+damaged`));
});

function slow() {
  return appWith(async (scope) => {
    await scope.step({ key: 'a', title: 'Look' }, async () => 1);
    await scope.step({ key: 'b', title: 'Wait' }, () => new Promise(() => {}));
    return '';
  }, 'slow');
}
