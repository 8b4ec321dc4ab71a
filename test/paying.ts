import type { ApprovalPage, AskedApproval } from '../src/wire/native/approvals.ts';
import type { Json } from '../src/run/values.ts';
import type { Tool } from '../src/tools/tool.ts';
import { appWith, serving, textAt, untilAnswer, type Serving } from './serving.ts';

const schema = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

/** What a call may be about, also what looks like a reference of ours, and what is too large to be shown at once. */
export const payments: readonly ((amount: number) => Json)[] = [
  (amount) => ({ amount }),
  (amount) => ({ amount, blob: 'a'.repeat(64), preview: 'harmless' }),
  (amount) => ({ amount, blob: 'a'.repeat(64), size: 9, preview: 'harmless' }),
  (amount) => ({ amount, to: 'me\u202eyou\u200b' }),
  (amount) => ({ amount, text: 'x'.repeat(40_000) }),
];

/** A question of a run, with others that somebody could take for it. */
export interface Scene {
  readonly run: string;
  readonly asked: AskedApproval;
  /** The open question of another run. */
  readonly other: AskedApproval;
  /** A question of the same run that was decided before. */
  readonly spent: AskedApproval;
}

/** A server with a tool that writes down what it did, and an app that asks before each payment. */
export async function payingWorld(): Promise<{ readonly at: Serving; readonly ledger: readonly Json[] }> {
  const ledger: Json[] = [];
  const pay: Tool = {
    name: 'pay',
    description: 'Pays.',
    schema,
    effect: 'once',
    approval: 'always',
    run: async (input) => ({ receipt: ledger.push(input) }),
  };
  const pays = appWith(async (scope, text) => {
    for (const [i, input] of (JSON.parse(text) as Json[]).entries())
      await scope.call('pay', input, { key: `pay ${i}` });
    return 'paid';
  });
  const at = await serving({ config: { apps: { pays }, tools: [pay] } });
  return { at, ledger };
}

export async function startPaying(at: Serving, calls: readonly Json[]): Promise<string> {
  return textAt(await at.ask('/api/runs', { json: { input: { text: JSON.stringify(calls) } } }), 'run');
}

/** The n-th question of a run, as everybody sees it. */
export async function questionAt(at: Serving, run: string, number: number): Promise<AskedApproval> {
  const id = `${run}.a${number}`;
  const found = await untilAnswer(
    () => at.ask(`/api/approvals?run=${run}`),
    ({ text }) => text.includes(`"${id}"`),
  );
  const asked = (found.json as ApprovalPage).approvals.find((each) => each.id === id);
  if (!asked) throw new Error(`${id} was not asked`);
  return asked;
}

/** What a question shows, all of it. */
export async function shownBy(at: Serving, asked: AskedApproval): Promise<Json> {
  if (!asked.references?.includes('arguments')) return asked.arguments as Json;
  const { blob } = asked.arguments as { readonly blob: string };
  return (await at.ask(`/api/files/${blob}`)).json as Json;
}

export const flipped = (text: string): string => text.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

type Named = Pick<AskedApproval, 'id' | 'fingerprint'>;

/** Wrong names of a question: none of them is that of what was shown. */
export function mutatedNames({ asked, other, spent }: Scene): Readonly<Record<string, Named>> {
  const { id, fingerprint } = asked;
  return {
    'one other digit': { id, fingerprint: flipped(fingerprint) },
    'half a fingerprint': { id, fingerprint: fingerprint.slice(0, 16) },
    'twice the fingerprint': { id, fingerprint: fingerprint + fingerprint },
    'the fingerprint of another run': { id, fingerprint: other.fingerprint },
    'a fingerprint that was used': { id, fingerprint: spent.fingerprint },
    'the question of another run': { id: other.id, fingerprint },
    'a question that was decided': { id: spent.id, fingerprint },
    'a question nobody asked': { id: id.replace(/\d+$/, '99'), fingerprint },
    'no fingerprint at all': { id, fingerprint: '' },
    'a name every object has': { id: id.replace(/\.a\d+$/, '.constructor'), fingerprint },
  };
}
