import { expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../serving.ts';

const hostile = [
  "' OR 1=1 --",
  "'; DROP TABLE run; --",
  '" OR ""="',
  "\\'; DELETE FROM chunk; --",
  "%' UNION SELECT tenant, run FROM run --",
  '1) OR (1=1',
  '_%',
  "x' AND randomblob(1000000000) --",
];

test('[S54] what looks like SQL is a text like any other, wherever it is said', async () => {
  const data = temporaryFolder();
  const mine = keyIn(data, { name: 'ana', tenant: "ac'me", role: 'operator' });
  const theirs = keyIn(data, { name: 'eve', tenant: 'evil', role: 'operator' });
  const apps = { echo: appWith((_, text) => Promise.resolve(text), 'echo') };
  const at = await serving({ data, config: { auth: { required: true }, apps } });
  const start = (key: string, text: string): ReturnType<typeof at.ask> =>
    at.ask('/api/runs', { key, json: { app: 'echo', input: { text }, labels: { note: text } } });
  const own = textAt(await start(mine, 'mine'), 'run');
  for (const text of hostile) {
    expect(textAt(await start(theirs, text), 'run')).toMatch(/^run_/);
    const word = encodeURIComponent(text);
    for (const path of [
      `/api/runs?text=${word}`,
      `/api/runs?agent=${word}`,
      `/api/runs?tool=${word}`,
      `/api/runs?label=note=${word}`,
      `/api/runs?since=${word}`,
      `/api/feed?after=${word}`,
      `/api/runs?app=${word}`,
      `/api/runs?status=${word}`,
      `/api/runs?conversation=${word}`,
      `/api/runs?after=${word}`,
      `/api/runs/${word}`,
      `/api/runs/${word}/events?after=${word}`,
      `/api/conversations/${word}`,
      `/api/approvals?run=${word}`,
      `/api/files/${word}`,
      `/api/sessions/${word}/stream`,
    ]) {
      const { status, text: said } = await at.ask(path, { key: theirs });
      expect(status, path).toBeLessThan(500);
      expect(said, path).not.toContain(own);
    }
    const found = await at.ask(`/api/runs?label=note=${word}`, { key: theirs });
    expect(found.json).toMatchObject({ runs: [{ title: text }] });
  }
  expect((await at.ask(`/api/runs/${own}`, { key: mine })).status).toBe(200);
  expect(at.problems).toEqual([]);
});
