import { expect, test } from 'vitest';
import type { AgentEvent, Gateway } from '../../src/gateways/gateway.ts';
import { approval, budget } from '../../src/policies/standard.ts';
import type { Policy } from '../../src/policies/policy.ts';
import type { RunTree } from '../../src/run/tree.ts';
import { converseInTurn } from '../agents-in-turn.ts';
import { answerOf, policies, stepsOf } from '../conversation.ts';
import { fileTools, kindsOfTraces, legitimateTrace, type Trace } from '../legitimate-traces.ts';
import { Chance } from '../random.ts';

const count = 210;

/** Plays a trace batch by batch, and then answers. */
function playing(trace: Trace): Gateway {
  let batch = 0;
  return {
    async *takeTurn({ tools }) {
      const wishes = tools ? (trace.batches[batch++] ?? []) : [];
      if (wishes.length === 0) yield [{ type: 'text.appended', text: 'Done.' }];
      for (const [i, { tool, input }] of wishes.entries()) {
        const call = `c${batch}.${i}`;
        yield [{ type: 'call.appended', call, tool, text: JSON.stringify(input) } satisfies AgentEvent];
      }
    },
  };
}

function play(trace: Trace, seed: number, law: readonly Policy[] = policies): Promise<RunTree> {
  const isWide = trace.batches.some(({ length }) => length > 1);
  return converseInTurn({
    model: playing(trace),
    tools: fileTools(trace.files),
    agents: ['worker'],
    rules: {
      protocol: seed % 2 === 0 ? 'two-stage' : 'unified',
      preset: isWide ? 'parallel' : 'strict',
      maxCycles: trace.batches.length + 1,
    },
    policies: law,
  });
}

/** What came back, call by call, in the order the trace has them. */
function returned(tree: RunTree): unknown[] {
  return stepsOf(tree, 'call')
    .toSorted((a, b) => (a.phase?.batch ?? 0) - (b.phase?.batch ?? 0) || a.id - b.id)
    .map(({ status, result }) => [status, result]);
}

function wished({ batches }: Trace): unknown[] {
  return batches.flat().map(({ result }) => [result === undefined ? 'failed' : 'completed', result]);
}

test(`[C51] ${count} legitimate traces: no call is blocked, and no result is stale`, async () => {
  const told = new Map<string, number>();
  for (let seed = 1; seed <= count; seed += 1) {
    const kind = kindsOfTraces[seed % kindsOfTraces.length] ?? '';
    const trace = legitimateTrace(kind, new Chance(seed * 104_729));
    const tree = await play(trace, seed);
    expect(returned(tree), `${kind}, seed ${seed}`).toEqual(wished(trace));
    expect(answerOf(tree)).toBe('Done.');
    expect(tree.notices.filter(({ code }) => code === 'DUPLICATE_BLOCKED')).toEqual([]);
    told.set(kind, (told.get(kind) ?? 0) + 1);
  }
  expect([...told.keys()].toSorted((a, b) => a.localeCompare(b))).toEqual(
    kindsOfTraces.toSorted((a, b) => a.localeCompare(b)),
  );
  for (const times of told.values()) expect(times).toBeGreaterThanOrEqual(30);
});

test('[C51] the traces can tell: a law that reuses whatever it has seen gives stale results', async () => {
  const naive: Policy = ({ tree }, { call, repeatable }) => {
    const first = [...tree.steps.values()].find(
      (step) => step.call?.signature === call?.signature && step.status === 'completed',
    );
    if (!call || repeatable || !first) return { verdict: 'allow' };
    return { verdict: 'reuse', step: first.id, code: 'DUPLICATE_BLOCKED', reason: 'Seen.' };
  };
  for (const kind of ['list, delete, list', 'write, read, write', 'fan-out']) {
    const trace = legitimateTrace(kind, new Chance(5));
    const tree = await play(trace, 2, [budget, naive, approval]);
    expect(returned(tree), kind).not.toEqual(wished(trace));
  }
});
