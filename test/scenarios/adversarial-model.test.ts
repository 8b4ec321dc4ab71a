import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Engine } from '../engine.ts';
import { converse } from '../../src/flows/converse/converse.ts';
import type { ActionTools, ConverseRules } from '../../src/flows/converse/course.ts';
import { RunError } from '../../src/run/failure.ts';
import { foldAll } from '../../src/run/entries.ts';
import { signatureOf } from '../../src/run/signature.ts';
import { isOpen, type RunTree } from '../../src/run/tree.ts';
import { isBlobRef, type Json, type Limits } from '../../src/run/values.ts';
import type { Tool } from '../../src/tools/tool.ts';
import {
  hostile,
  longestPiece,
  ThrownOnPurpose,
  toolNames,
  trickery,
  type Trickery,
} from '../adversarial-model.ts';
import { policies, stepsOf } from '../conversation.ts';
import { entriesOf, startRun, testWorld, toolOf } from '../world.ts';

const runs = 600;
/** What an answer may use beyond the budget, and a piece that was on its way in the last two turns. */
const reserve = 8_192 + 2 * longestPiece;

const rules: fc.Arbitrary<ConverseRules> = fc.record({
  protocol: fc.constantFrom('two-stage', 'unified'),
  preset: fc.constantFrom('strict', 'parallel'),
  maxToolsPerPhase: fc.integer({ min: 1, max: 8 }),
  actionTools: fc.constantFrom<ActionTools>('none', 'non-duplicate', { allow: { look: 2, write: 1 } }),
  maxCycles: fc.integer({ min: 1, max: 4 }),
  pauseAfterTool: fc.constant(false),
});
type Most = { readonly [Name in keyof Limits]-?: number };

const limits: fc.Arbitrary<Most> = fc.record({
  turns: fc.integer({ min: 1, max: 12 }),
  calls: fc.nat({ max: 12 }),
  tokens: fc.constantFrom(300, 3_000, 20_000),
  depth: fc.constantFrom(2, 12),
  seconds: fc.constant(600),
  entries: fc.constantFrom(40, 100_000),
  bytes: fc.constantFrom(8_000, 10_000_000),
});

function tools(ledger: Json[]): readonly Tool[] {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: true };
  const act = (input: Json): Json => ledger.push(input);
  const [look, write, charge, poll, broken, gone] = toolNames;
  return [
    toolOf(look, (input) => input, { schema }),
    toolOf(write, () => 'written', { schema, effect: 'idempotent' }),
    toolOf(charge, act, { schema, effect: 'once' }),
    toolOf(poll, () => 'running', { schema, repeatable: true }),
    toolOf(broken, () => Promise.reject(new RunError('unavailable', 'It is down.')), { schema }),
    toolOf(gone, () => Promise.reject(new ThrownOnPurpose('A tool with a bug.')), { schema, effect: 'once' }),
  ];
}

interface Case {
  readonly tricks: Trickery;
  readonly how: ConverseRules;
  readonly most: Most;
}

/** What happened, so that the property can say that it has seen everything it is about. */
class Coverage {
  readonly #seen = new Map<string, number>();

  note(what: string): void {
    this.#seen.set(what, (this.#seen.get(what) ?? 0) + 1);
  }

  missing(expected: readonly string[], atLeast: number): string[] {
    return expected.filter((what) => (this.#seen.get(what) ?? 0) < atLeast);
  }
}

async function endure({ tricks, how, most }: Case, coverage: Coverage) {
  const ledger: Json[] = [];
  const shed = tools(ledger);
  const gateway = hostile(tricks, (trick, turn) => {
    const what = trick.type === 'endless' ? `endless ${trick.what}` : trick.type;
    coverage.note(turn.tools ? what : `${what} without tools`);
    if (turn.messages.some(({ text }) => text.includes('TOOL RESULT')))
      coverage.note(`${what} in the action phase`);
  });
  const agents = [{ name: 'model', description: '', gateway, effect: 'pure' as const }];
  const flow = converse({ agent: 'model', system: 'Be good.', tools: shed, rules: how });
  const world = testWorld({ flows: [flow], agents, tools: shed }, { policies });
  const engine = new Engine(world, 'w1');
  const { run } = await startRun(engine, flow, { limits: most });
  await engine.idle();
  const entries = await entriesOf(world.store, run);
  return { tree: foldAll(entries), entries, ledger, problems: world.problems };
}

function checkTree(tree: RunTree, { how, most }: Case, ledger: readonly Json[]): void {
  expect(tree.ended).toBeDefined();
  expect(tree.ended?.outcome).not.toBe('stopped');
  if (tree.ended?.outcome === 'failed') expect(tree.ended.failure?.message).toMatch(/\S/);
  const { answer } = tree.ended ?? {};
  // One that is cut off may be long enough to be kept beside the journal.
  expect(isBlobRef(answer) ? answer.preview : answer).toMatch(/\S/);
  expect([...tree.steps.values()].filter(isOpen)).toEqual([]);
  expect(tree.spent.turns).toBeLessThanOrEqual(most.turns);
  expect(tree.spent.calls).toBeLessThanOrEqual(most.calls);
  expect(tree.spent.tokens).toBeLessThanOrEqual(most.tokens + reserve);
  // One turn for each cycle and each duplicate, the first, the last and its second chance.
  expect(stepsOf(tree, 'turn').length).toBeLessThanOrEqual(how.maxCycles + 3 + 3);
  const charged = ledger.map((input) => signatureOf({ tool: 'charge', arguments: input }));
  expect(new Set(charged).size).toBe(charged.length);
  expect(tree.notices.filter(({ code }) => code === 'OUT_OF_PLACE' || code === 'FLOW_DIVERGED')).toEqual([]);
}

test(`[C52] [R29] whatever a model does (${runs} runs), it ends, within budget, with an answer or a clear failure`, async () => {
  const coverage = new Coverage();
  await fc.assert(
    fc.asyncProperty(trickery, rules, limits, async (tricks, how, most) => {
      const { tree, entries, ledger, problems } = await endure({ tricks, how, most }, coverage);
      checkTree(tree, { tricks, how, most }, ledger);
      expect(entries.at(-1)?.event.type).toBe('run.ended');
      expect(problems.filter(({ cause }) => !(cause instanceof ThrownOnPurpose))).toEqual([]);
      coverage.note(tree.ended?.outcome ?? '');
      for (const { code } of tree.notices) coverage.note(code);
      for (const kind of ['verdict', 'answer', 'misfit'])
        if (stepsOf(tree, kind).length > 0) coverage.note(kind);
      for (const { status } of stepsOf(tree, 'call')) coverage.note(`call ${status}`);
    }),
    { numRuns: runs },
  );
  const tricks = ['talk', 'call', 'flood', 'interleave', 'fail', 'finish'];
  const streams = ['text', 'arguments', 'nothing', 'calls'].map((what) => `endless ${what}`);
  const outcomes = ['completed', 'failed', 'verdict', 'answer', 'misfit'];
  const codes = [
    'DUPLICATE_BLOCKED',
    'TOOLS_DISABLED',
    'BUDGET_EXHAUSTED',
    'CALL_REFUSED',
    'CALL_SKIPPED',
    'CALL_MALFORMED',
  ];
  const calls = ['completed', 'failed', 'reused', 'skipped'].map((status) => `call ${status}`);
  expect(coverage.missing([...tricks, ...streams, ...outcomes, ...codes, ...calls], 5)).toEqual([]);
  const where = ['call', 'flood', 'talk'].flatMap((what) => [
    `${what} without tools`,
    `${what} in the action phase`,
  ]);
  expect(coverage.missing(where, 5)).toEqual([]);
});
