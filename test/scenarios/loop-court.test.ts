import { describe, expect, test } from 'vitest';
import type { ConverseRules } from '../../src/flows/converse/course.ts';
import type { AgentEvent, Gateway } from '../../src/gateways/gateway.ts';
import { approval, budget } from '../../src/policies/standard.ts';
import type { Policy } from '../../src/policies/policy.ts';
import { isOpen, type RunTree } from '../../src/run/tree.ts';
import type { Json, Limits } from '../../src/run/values.ts';
import { answerOf, policies, stepsOf } from '../conversation.ts';
import { converseInTurn } from '../agents-in-turn.ts';
import { loopPatterns, type LoopPattern } from '../loop-patterns.ts';
import { Chance } from '../random.ts';

const seeds = Array.from({ length: 20 }, (_, i) => i + 1);
const protocols = ['two-stage', 'unified'] as const;
/** Cycles, and duplicates, which cost none: after these many turns with tools a model has none. */
const turnsWithTools = 3 + 3;
const verdictSentence = /^[A-Z][^\n.]+\.$/;

interface Tried {
  readonly tree: RunTree;
  readonly ledger: Json[];
  readonly turns: { withTools: number; without: number };
}

interface Charge {
  readonly pattern: LoopPattern;
  readonly seed: number;
  readonly protocol: ConverseRules['protocol'];
  readonly limits?: Limits;
  readonly law?: readonly Policy[];
}

/** A model that never answers while tools are offered. */
function looping(pattern: LoopPattern, chance: Chance, turns: Tried['turns']): Gateway {
  const asks = pattern.asks(chance);
  let calls = 0;
  return {
    async *takeTurn({ tools }) {
      if (!tools) {
        turns.without += 1;
        yield [{ type: 'text.appended', text: 'This is the answer.' }];
        return;
      }
      if (chance.between(0, 1) === 1) yield [{ type: 'text.appended', text: 'Let me try. ' }];
      for (const { tool, text } of asks(turns.withTools++)) {
        calls += 1;
        for (const [i, piece] of chance.pieces(text).entries()) {
          const first = i === 0 ? { tool } : {};
          const event: AgentEvent = { type: 'call.appended', call: `call_${calls}`, ...first, text: piece };
          yield [event];
        }
      }
      yield [{ type: 'turn.finished', reason: 'calls' }];
    },
  };
}

async function convene({ pattern, seed, protocol, limits = {}, law = policies }: Charge): Promise<Tried> {
  const chance = new Chance(seed * 7_919);
  const ledger: Json[] = [];
  const turns = { withTools: 0, without: 0 };
  const tree = await converseInTurn({
    model: looping(pattern, chance, turns),
    tools: pattern.tools(ledger, chance),
    agents: pattern.isAcrossAgents ? ['first', 'second'] : ['first'],
    rules: { protocol, preset: pattern.isParallel ? 'parallel' : 'strict' },
    limits,
    policies: law,
  });
  return { tree, ledger, turns };
}

describe.for(protocols)('loop court, %s', (protocol) => {
  test.for(loopPatterns)(
    '[C50] [R31] $name: one effect for each distinct call, an answer, and a verdict',
    async (pattern) => {
      const agents = pattern.isAcrossAgents ? 2 : 1;
      for (const seed of seeds) {
        const { tree, ledger, turns } = await convene({ pattern, seed, protocol });
        const what = `seed ${seed}`;
        expect(ledger, what).toHaveLength(pattern.distinct);
        expect(tree.ended?.outcome, what).toBe('completed');
        expect(answerOf(tree), what).toBe(Array(agents).fill('This is the answer.').join(' '));
        expect(turns.withTools, what).toBeLessThanOrEqual(turnsWithTools * agents);
        expect(turns.without, what).toBe(agents);
        const verdicts = stepsOf(tree, 'verdict').map(
          ({ result }) => (result as { sentence: string }).sentence,
        );
        expect(verdicts, what).toHaveLength(agents);
        for (const sentence of verdicts) expect(sentence, what).toMatch(verdictSentence);
        expect(
          [...tree.steps.values()].filter((step) => step.id !== 0 && isOpen(step)),
          what,
        ).toEqual([]);
      }
    },
  );

  test.for(loopPatterns)('[C50] $name: a tight budget is kept, and answered within', async (pattern) => {
    for (const seed of seeds) {
      const limits = { turns: 2 + (seed % 3), calls: 1 + (seed % 4) };
      const { tree, ledger } = await convene({ pattern, seed, protocol, limits });
      const what = `seed ${seed}`;
      expect(tree.spent.turns, what).toBeLessThanOrEqual(limits.turns);
      expect(tree.spent.calls, what).toBeLessThanOrEqual(limits.calls);
      expect(ledger.length, what).toBeLessThanOrEqual(pattern.distinct);
      // The second agent may find nothing left of the budget, and has done nothing then.
      const outcomes = pattern.isAcrossAgents ? ['completed', 'failed'] : ['completed'];
      expect(outcomes, what).toContain(tree.ended?.outcome);
      if (!pattern.isAcrossAgents) expect(answerOf(tree), what).toBe('This is the answer.');
      expect(answerOf(tree), what).not.toBe('');
      for (const { result } of stepsOf(tree, 'verdict'))
        expect((result as { sentence: string }).sentence, what).toMatch(verdictSentence);
    }
  });
});

test('[C50] the court can convict: without the law on duplicates the same model charges again and again', async () => {
  const pattern = loopPatterns[0];
  if (!pattern) throw new Error('no pattern');
  const { ledger } = await convene({ pattern, seed: 1, protocol: 'two-stage', law: [budget, approval] });
  expect(ledger).toHaveLength(3);
});

test('[C50] there are twelve patterns', () => {
  expect(new Set(loopPatterns.map(({ name }) => name)).size).toBe(12);
});
