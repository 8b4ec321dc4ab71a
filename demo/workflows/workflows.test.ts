import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { vitrineClient, type Client } from '../../src/client/client.ts';
import { problemsIn } from '../../src/graph/validate.ts';
import type { Json } from '../../src/run/values.ts';
import { serving, shareServing, temporaryFolder } from '../../test/serving.ts';
import demoConfig from '../vitrine.config.ts';

type Graph = Record<string, Json>;

const names = ['change-notice', 'link-survey', 'watch-link'];
const graphs = Object.fromEntries(
  names.map((name) => [
    name,
    parse(readFileSync(new URL(`./${name}.yaml`, import.meta.url), 'utf8')) as Graph,
  ]),
);

test.for(names)('«%s» has no problems', (name) => {
  expect(problemsIn(graphs[name] ?? null)).toEqual([]);
});

describe('in the demo world', () => {
  let client: Client;
  let url: string;
  beforeAll(() =>
    shareServing(async () => {
      const data = temporaryFolder();
      const at = await serving({ data, config: { ...demoConfig({ data, pace: 0 }), workflows: graphs } });
      url = at.url;
      client = vitrineClient({ url });
    }),
  );

  /** What is asked, decided one after the other, until the run has ended. */
  async function play(name: string, input: Json, decisions: readonly object[] = []): Promise<string> {
    const { run } = await client.workflows.start(name, { input });
    const left = [...decisions];
    const decided = new Set<string>();
    for await (const tree of client.follow(run)) {
      if (tree.status === 'completed' || tree.status === 'failed')
        return typeof tree.answer === 'string' ? tree.answer : '';
      for (const { id: approval, fingerprint, status } of tree.approvals) {
        if (status !== 'undecided' || decided.has(approval)) continue;
        decided.add(approval);
        const decision = left.shift();
        if (decision) await client.decide(approval, { decision: 'approve', fingerprint, ...decision });
      }
    }
    throw new Error('it came to no end');
  }

  test('a notice is edited, drawn up again, and posted once', async () => {
    const again = { decision: 'edit', arguments: 'Please be patient.', answer: { redo: 'draft' } };
    const edited = { decision: 'edit', arguments: { site: 'Perth', text: 'Work tonight.' } };
    const answer = await play('change-notice', { text: 'LINK-SYD-MEL-FIBRE-01' }, [again, edited]);
    expect(answer).toMatch(/^Posted as NB-0001: Work tonight\.$/);
  });

  test('links are surveyed, and somebody is sure after a second look', async () => {
    const answer = await play('link-survey', { links: ['LINK-SYD-MEL-FIBRE-01', 'LINK-SYD-BNE-FIBRE-01'] });
    expect(answer).toMatch(/^After a second look:\n\| telemetry/);
    const [, first, ...others] = answer.split('\n').filter((line) => line.startsWith('| '));
    expect(first).toMatch(
      /^\| In the last 24 hours LINK-SYD-MEL-FIBRE-01 .* \| LINK-SYD-MEL-FIBRE-01 is down \(fibre cut\)\./,
    );
    expect(others).toHaveLength(1);
  });

  test('unless links are named the busiest ones are surveyed', async () => {
    const rows = (await play('link-survey', {}))
      .split('\n')
      .filter((line) => line.startsWith('| In the last'));
    expect(rows).toHaveLength(5);
    for (const row of rows) expect(row).toMatch(/ (LINK-\S+) carried .* \| \1 is up\./);
  });

  test('a person reads what agents found, and not how they looked for it', async () => {
    const { run } = await client.workflows.start('change-notice', {
      input: { text: 'LINK-SYD-MEL-FIBRE-01' },
    });
    await expect.poll(async () => (await client.approvals({ run })).approvals.length).toBe(1);
    const [question] = (await client.approvals({ run })).approvals;
    const { load, paths } = Object(question?.arguments) as { load: string; paths: string };
    expect(load).toMatch(/^In the last 24 hours LINK-SYD-MEL-FIBRE-01 carried /);
    expect(paths).toMatch(/^LINK-SYD-MEL-FIBRE-01 is down \(fibre cut\)\. \d+ MPLS paths depend on it/);
    for (const words of [load, paths]) expect(words).not.toContain('---');
  });

  test('a link is watched, and an engineer is sent, or it is escalated', async () => {
    const input = { text: 'LINK-SYD-MEL-FIBRE-01', pause: 1, patience: 600 };
    expect(await play('watch-link', input, [{}])).toBe('An engineer is on the way to LINK-SYD-MEL-FIBRE-01.');
    const hasty = { ...input, patience: 1 };
    expect(await play('watch-link', hasty)).toMatch(
      /^Nobody decided in time: it is on the board as NB-0002\.$/,
    );
  });

  test('a link that carries traffic is well, and nobody is asked', async () => {
    const input = { text: 'LINK-SYD-BNE-FIBRE-01', pause: 1, patience: 600 };
    expect(await play('watch-link', input)).toBe('LINK-SYD-BNE-FIBRE-01 is well.');
  });

  test.for([
    [
      'Look up what depends on a link and its telemetry, then post a notice once I agree',
      /GraphExplorerAgent[^]*TelemetryAgent[^]*"check"[^]*post_notice/,
    ],
    [
      'Check the telemetry of a link and dispatch an engineer',
      /TelemetryAgent[^]*"check"[^]*dispatch_engineer/,
    ],
    ['Which tickets are about a site?', /HistoricalTicketAgent/],
    ['Bake a cake', /"agent"/],
  ] as const)(
    '[WR44] the scripted model drafts a workflow that can be run, and says that it is a script: %s',
    async ([prompt, drawn]) => {
      const answered = await fetch(`${url}/workflows/design/prompt`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt }),
      });
      const {
        status,
        errors,
        graph,
        workflow_id: name,
      } = (await answered.json()) as Record<string, Json> & { workflow_id: string };
      expect([answered.status, status, errors]).toEqual([200, 'validated', []]);
      expect(JSON.stringify(graph)).toMatch(drawn);
      expect(graph).toMatchObject({ title: `Drafted by a script: ${prompt}` });
      const { run } = await client.workflows.start(name, {
        input: { text: 'LINK-SYD-MEL-FIBRE-01' },
        mode: 'draft',
      });
      for await (const tree of client.follow(run)) {
        for (const { id, fingerprint, status: state } of tree.approvals)
          if (state === 'undecided') await client.decide(id, { decision: 'approve', fingerprint });
        if (tree.status === 'failed') throw new Error(JSON.stringify(tree.answer));
        if (tree.status === 'completed') break;
      }
    },
  );
});
