import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  appWith,
  keyAt,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Answered,
  type Serving,
} from '../../../test/serving.ts';
import { loadRun } from '../../engine/recovery/load.ts';
import type { RunTree } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import { Role } from './honest.ts';

const asks = appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks');
const apps = {
  own: asks,
  reviewed: { ...asks, approvals: 'approver' },
  witnessed: { ...asks, approvals: 'second-person' },
} as const;

let at: Serving;
const keys = new Map<string, string>();
beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    for (const role of Role.options)
      for (const name of [role, `other ${role}`]) keys.set(name, keyIn(data, { name, tenant: 'acme', role }));
    at = await serving({ data, config: { apps, auth: { required: true } } });
  }),
);

const keyOf = (name: string): { key: string } => ({ key: keys.get(name) ?? '' });

/** What is asked in a run that somebody started. */
async function question(app: keyof typeof apps, by: string): Promise<{ id: string; fingerprint: string }> {
  const run = textAt(await at.ask('/api/runs', { ...keyOf(by), json: { app, input: { text: 'x' } } }), 'run');
  const asked = await untilAnswer(
    () => at.ask(`/api/approvals?run=${run}`, keyOf(by)),
    ({ text }) => text.includes('May I?'),
  );
  return {
    id: textAt(asked, 'approvals', 0, 'id'),
    fingerprint: textAt(asked, 'approvals', 0, 'fingerprint'),
  };
}

async function decides(who: string, asked: Awaited<ReturnType<typeof question>>): Promise<Answered> {
  const { id, fingerprint } = asked;
  return at.ask(`/api/approvals/${id}`, { ...keyOf(who), json: { decision: 'approve', fingerprint } });
}

/** [the app, who started it, who may decide] */
const table = [
  ['own', 'member', ['member', 'approver', 'operator', 'other approver', 'other operator']],
  ['own', 'approver', ['approver', 'operator', 'other approver', 'other operator']],
  ['reviewed', 'member', ['approver', 'operator', 'other approver', 'other operator']],
  ['reviewed', 'approver', ['approver', 'operator', 'other approver', 'other operator']],
  ['witnessed', 'member', ['approver', 'operator', 'other approver', 'other operator']],
  ['witnessed', 'approver', ['operator', 'other approver', 'other operator']],
  ['witnessed', 'operator', ['approver', 'other approver', 'other operator']],
] as const;

describe('[V32] [S08] who decides in a run', () => {
  const names = Role.options.flatMap((role) => [role, `other ${role}`]);
  const cases = table.flatMap(([app, by, may]) =>
    names.map((who) => ({ app, by, who, fate: (may as readonly string[]).includes(who) ? 200 : 403 })),
  );

  test.for(cases)(
    'of app «$app» that a $by started: for «$who» it is $fate',
    async ({ app, by, who, fate }) => {
      const asked = await question(app, by);
      const { status, text } = await decides(who, asked);
      expect(status).toBe(fate);
      if (fate === 403) expect(text).toMatch(/role «\w+»/);
      const now = await at.ask(`/api/approvals/${asked.id}`, keyOf('viewer'));
      expect(now.text.includes('"decision"')).toBe(fate === 200);
    },
  );

  test('is refused with every decision, not only to approve', async () => {
    const { id, fingerprint } = await question('witnessed', 'approver');
    for (const decision of ['reject', 'defer', 'edit']) {
      const json = { decision, fingerprint, ...(decision === 'edit' ? { arguments: {} } : {}) };
      expect((await at.ask(`/api/approvals/${id}`, { ...keyOf('approver'), json })).status).toBe(403);
    }
  });

  test('[V61] where nobody needs a key nobody can be told apart, so a second person is not to be had', async () => {
    const open = await serving({ config: { apps } });
    const bo = await keyAt(open, { name: 'bo', role: 'approver' });
    const run = textAt(
      await open.ask('/api/runs', { json: { app: 'witnessed', input: { text: 'x' } } }),
      'run',
    );
    const asked = await untilAnswer(
      () => open.ask(`/api/approvals?run=${run}`),
      ({ text }) => text.includes('May I?'),
    );
    const json = { decision: 'approve', fingerprint: textAt(asked, 'approvals', 0, 'fingerprint') };
    for (const who of [{}, { key: bo }]) {
      const answer = await open.ask(`/api/approvals/${textAt(asked, 'approvals', 0, 'id')}`, {
        json,
        ...who,
      });
      expect(answer.status).toBe(403);
      expect(answer.text).toMatch(/second person.*nobody can be told apart.*--private.*keys create/);
    }
  });

  test('[E111] holds for the terminal as well: the engine itself refuses', async () => {
    const at = await serving({ config: { apps } });
    const { home } = at.server.context;
    const run = textAt(
      await at.ask('/api/runs', { json: { app: 'witnessed', input: { text: 'x' } } }),
      'run',
    );
    const tree = async (): Promise<RunTree> => (await loadRun(home.journal, await rowOf())).tree;
    const rowOf = async (): Promise<RunRow> => (await home.dispatch.get(run)) as RunRow;
    await vi.waitFor(async () => expect((await tree()).undecided).toBe(1), 60_000);
    const [question] = (await tree()).approvals.values();
    const { approval = '', fingerprint = '' } = question ?? {};
    const decide = async (by: string): Promise<unknown> => {
      const command = { type: 'decide', decision: 'approve', by, approval, fingerprint } as const;
      return home.front.command(await rowOf(), { command, id: `of ${by}` });
    };
    await decide('local');
    expect((await tree()).notices.at(-1)).toMatchObject({
      code: 'DECISION_REFUSED',
      message: expect.stringContaining('second person'),
    });
    await decide('bo');
    expect((await tree()).approvals.get(approval)?.decided).toMatchObject({ by: 'bo' });
  });
});
