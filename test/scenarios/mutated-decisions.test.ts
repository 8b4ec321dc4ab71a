import { expect, test } from 'vitest';
import type { AskedApproval } from '../../src/wire/native/approvals.ts';
import { Chance } from '../random.ts';
import { flipped, payingWorld, payments, questionAt, shownBy, startPaying } from '../paying.ts';
import type { Answered, Serving } from '../serving.ts';

const decisions = 500;
interface Scene {
  readonly asked: AskedApproval;
  /** The open question of another run. */
  readonly other: AskedApproval;
  /** A question of the same run that was decided before, and how. */
  readonly spent: { readonly asked: AskedApproval; readonly body: object };
}

interface Sent {
  readonly id: string;
  readonly body: unknown;
}

/** A decision that says something else than what was shown, or more than a decision says. */
type Mutation = (scene: Scene) => Sent;

const yes = { decision: 'approve' };
const by =
  (body: (asked: AskedApproval, scene: Scene) => unknown): Mutation =>
  (scene) => ({ id: scene.asked.id, body: body(scene.asked, scene) });

const mutations: Readonly<Record<string, Mutation>> = {
  'no fingerprint': by(() => yes),
  'an empty fingerprint': by(() => ({ ...yes, fingerprint: '' })),
  'a fingerprint with one other digit': by(({ fingerprint }) => ({
    ...yes,
    fingerprint: flipped(fingerprint),
  })),
  'half a fingerprint': by(({ fingerprint }) => ({ ...yes, fingerprint: fingerprint.slice(0, 16) })),
  'a fingerprint in capitals': by(({ fingerprint }) => ({
    ...yes,
    fingerprint: `${fingerprint.toUpperCase()} `,
  })),
  'a list of fingerprints': by(({ fingerprint }) => ({ ...yes, fingerprint: [fingerprint] })),
  'the fingerprint of another run': by((_, { other }) => ({ ...yes, fingerprint: other.fingerprint })),
  'a fingerprint that was used': by((_, { spent }) => ({ ...yes, fingerprint: spent.asked.fingerprint })),
  'the question of another run': ({ asked, other }) => ({
    id: other.id,
    body: { ...yes, fingerprint: asked.fingerprint },
  }),
  'a name that says something else than the body': ({ asked, other }) => ({
    id: `${asked.id}~${other.fingerprint}`,
    body: { ...yes, fingerprint: asked.fingerprint },
  }),
  'a name with another fingerprint': ({ asked, spent }) => ({
    id: `${asked.id}~${spent.asked.fingerprint}`,
    body: yes,
  }),
  'a question nobody asked': ({ asked: { id, fingerprint } }) => ({
    id: id.replace(/\d+$/, '99'),
    body: { ...yes, fingerprint },
  }),
  'arguments beside an approval': by(({ fingerprint }) => ({
    ...yes,
    fingerprint,
    arguments: { amount: 1_000_000 },
  })),
  'arguments beside a rejection': by(({ fingerprint }) => ({
    decision: 'reject',
    fingerprint,
    arguments: { amount: 1_000_000 },
  })),
  'an answer beside a rejection': by(() => ({ decision: 'reject', answer: 1 })),
  'an answer to what has none': by(({ fingerprint }) => ({ ...yes, fingerprint, answer: { amount: 7 } })),
  'a time beside an approval': by(({ fingerprint }) => ({ ...yes, fingerprint, until: 5 })),
  'an edit without a fingerprint': by(() => ({ decision: 'edit', arguments: { amount: 1_000_000 } })),
  'an edit of something else': by((_, { spent }) => ({
    decision: 'edit',
    fingerprint: spent.asked.fingerprint,
    arguments: { amount: 1_000_000 },
  })),
  'an edit without arguments': by(({ fingerprint }) => ({ decision: 'edit', fingerprint })),
  'an edit that does not fit': by(({ fingerprint }) => ({
    decision: 'edit',
    fingerprint,
    arguments: { amount: 'all' },
  })),
  'a decision nobody has': by(({ fingerprint }) => ({ decision: 'expire', fingerprint })),
  'a field nobody knows': by(({ fingerprint }) => ({ ...yes, fingerprint, call: { amount: 1_000_000 } })),
  'somebody else': by(({ fingerprint }) => ({ ...yes, fingerprint, by: 'clock' })),
  'the decision that was made before, again': ({ spent }) => ({ id: spent.asked.id, body: spent.body }),
  'another decision on what was decided': ({ spent: { asked } }) => ({
    id: asked.id,
    body: { decision: 'edit', fingerprint: asked.fingerprint, arguments: { amount: 1_000_000 } },
  }),
};

function send(at: Serving, { id, body }: Sent): Promise<Answered> {
  return at.ask(`/api/approvals/${encodeURIComponent(id)}`, { json: body });
}

test(`[V50] [V51] [S39] ${decisions} mutated decisions let nothing happen but what was shown`, async () => {
  const chance = new Chance(20261116);
  const { at, ledger } = await payingWorld();
  const other = await questionAt(at, await startPaying(at, [{ amount: -1 }]), 1);
  const names = Object.keys(mutations);
  const used = new Map<string, number>();
  const right = new Set<string>();
  let sent = 0;
  for (let round = 0; sent < decisions; round += 1) {
    const calls = [0, 1].map((i) => chance.pick(payments)(round * 10 + i));
    const run = await startPaying(at, calls);
    const first = await questionAt(at, run, 1);
    const body = { ...yes, fingerprint: first.fingerprint };
    const seen = await shownBy(at, first);
    expect((await send(at, { id: first.id, body })).status).toBe(200);
    const asked = await questionAt(at, run, 2);
    expect(ledger.at(-1)).toEqual(seen);
    const scene: Scene = { asked, other, spent: { asked: first, body } };
    const before = [...ledger];
    for (let i = 0; i < 10; i += 1) {
      const name = names[sent % names.length] ?? '';
      sent += 1;
      used.set(name, (used.get(name) ?? 0) + 1);
      const { status } = await send(at, mutations[name]?.(scene) ?? { id: '', body: {} });
      const isAgain = name === 'the decision that was made before, again';
      expect(isAgain ? [200] : [400, 404, 409], name).toContain(status);
      expect(ledger, name).toEqual(before);
      const now = (await at.ask(`/api/approvals/${asked.id}`)).json;
      expect(now, name).toMatchObject({ status: 'undecided', fingerprint: asked.fingerprint });
    }
    const way = chance.pick(['approve', 'edit', 'reject', 'by name'] as const);
    right.add(way);
    const edited = chance.pick(payments)(round * 10 + 5);
    const expected = way === 'reject' ? [] : [way === 'edit' ? edited : await shownBy(at, asked)];
    const decided = await send(at, {
      id: way === 'by name' ? `${asked.id}~${asked.fingerprint}` : asked.id,
      body: {
        decision: way === 'by name' ? 'approve' : way,
        ...(way === 'by name' ? {} : { fingerprint: asked.fingerprint }),
        ...(way === 'edit' ? { arguments: edited } : {}),
      },
    });
    expect(decided.status, way).toBe(200);
    await at.ask(`/api/runs/${run}/events`);
    expect(ledger).toEqual([...before, ...expected]);
  }
  expect(ledger).not.toContainEqual({ amount: -1 });
  expect([...right].sort()).toEqual(['approve', 'by name', 'edit', 'reject']);
  for (const name of names) expect(used.get(name), name).toBeGreaterThanOrEqual(decisions / 30);
  expect(at.problems).toEqual([]);
});
