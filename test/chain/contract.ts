import { expect, test, vi } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import type { Link } from './scene.ts';
import { chainOf } from './serving.ts';

/** The numbers of the rules, for each kind of link. */
interface Rules {
  readonly mirrors: string;
  readonly rejects: string;
  readonly stops: string;
  readonly stopsAsking: string;
  readonly goesAway: string;
}

const patience = { timeout: 120_000, interval: 20 };

/** What holds of three servers, each behind the one before it. */
export function chainContract(link: Link, rules: Rules): void {
  const title = (rule: string, sentence: string): string => `${rule} ${link}: ${sentence}`;

  test(
    title(
      rules.mirrors,
      'steps are mirrored with parents, agents and words; a question reaches the root, its answer the inmost',
    ),
    async () => {
      const { root, begin, asked, until, ledger } = await chainOf(link, link);
      const run = await begin('tea');
      const { id, fingerprint } = await asked(run);
      expect(ledger()).toEqual([]);
      const said = await root.ask(`/api/approvals/${id}`, { json: { decision: 'approve', fingerprint } });
      expect(said).toMatchObject({ status: 200 });
      const tree = await until(run, 'completed');
      expect(tree.answer).toBe('Paid for «tea».');
      expect(ledger()).toEqual(['tea']);
      expectMirrored(tree);
    },
  );

  test(title(rules.rejects, 'who rejects at the root rejects at the inmost'), async () => {
    const { root, begin, asked, until, ledger } = await chainOf(link, link);
    const run = await begin('tea');
    const { id } = await asked(run);
    await root.ask(`/api/approvals/${id}`, { json: { decision: 'reject' } });
    await until(run, 'failed');
    expect(ledger()).toEqual([]);
  });

  stopContract(link, rules, title);
}

function stopContract(link: Link, rules: Rules, title: (rule: string, sentence: string) => string): void {
  test(title(rules.stops, 'a stop at the root stops the inmost'), async () => {
    const { root, inmost, begin, ledger } = await chainOf(link, link);
    const run = await begin('wait');
    await vi.waitFor(() => expectRuns(inmost, 'running'), patience);
    await vi.waitFor(async () => expect(await stepsAt(root, run)).toContain('wait'), patience);
    await root.ask(`/api/runs/${run}/stop`, { json: {} });
    await vi.waitFor(() => expectRuns(inmost, 'stopped'), patience);
    expect(ledger()).toEqual(['stopped']);
  });

  test(title(rules.stopsAsking, 'a stop while a person is asked stops whoever asks'), async () => {
    const { root, inmost, servers, begin, asked, until, ledger } = await chainOf(link, link);
    const run = await begin('tea');
    await asked(run);
    await root.ask(`/api/runs/${run}/stop`, { json: {} });
    const { notices } = await until(run, 'stopped');
    expect(notices).toEqual([]);
    for (const server of servers) await vi.waitFor(() => expectRuns(server, 'stopped'), patience);
    expect((await inmost.ask('/api/approvals')).json).toMatchObject({ approvals: [] });
    expect(ledger()).toEqual([]);
  });

  test(title(rules.goesAway, 'a server that goes away stops nobody'), async () => {
    const { root, inmost, begin, ledger } = await chainOf(link);
    const run = await begin('wait');
    await vi.waitFor(async () => expect(await stepsAt(root, run)).toContain('wait'), patience);
    await root.close();
    await expectRuns(inmost, 'running');
    expect(ledger()).toEqual([]);
  });
}

type Server = Awaited<ReturnType<typeof chainOf>>['root'];

async function expectRuns(at: Server, status: FlatTree['status']): Promise<void> {
  expect((await at.ask('/api/runs')).json).toMatchObject({ runs: [{ status }] });
}

async function stepsAt(at: Server, run: string): Promise<readonly string[]> {
  return ((await at.ask(`/api/runs/${run}`)).json as FlatTree).steps.map(({ title }) => title);
}

/** What the inmost did, as the root shows it. */
export function expectMirrored({ steps, notices }: FlatTree): void {
  const titled = (title: string) => steps.find((step) => step.title === title) ?? expect.fail(title);
  const [around, scout] = [titled('Look around'), titled('Scout')];
  expect(steps.find(({ id }) => id === around.parent)).toMatchObject({
    agent: expect.stringMatching(/^level/),
  });
  expect(scout).toMatchObject({ parent: around.id, agent: 'scout', query: 'tea', status: 'completed' });
  const text = 'token 0 token 1 token 2 ';
  expect(titled('Look deeper')).toMatchObject({ parent: scout.id, agent: 'scout', text });
  const look = titled('look');
  expect(look).toMatchObject({ parent: scout.id, kind: 'call', query: '{"at":"tea"}', text: 'tea is there' });
  expect(look.log?.trim()).toBe('half way');
  expect(notices).toEqual([]);
}
