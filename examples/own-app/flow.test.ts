// How a flow is tested: the real engine in memory, a scripted agent, and the decisions a person would make.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionTool } from 'vitrine';
import { playRun, scriptedGateway } from 'vitrine/testing';
import { z } from 'zod';
import { buyBook } from './flow.ts';
import { placeOrder, price } from './tools.ts';

const reviewer = {
  name: 'reviewer',
  description: '',
  gateway: scriptedGateway([[{ type: 'say', text: 'Read it.' }]]),
  effect: 'pure' as const,
};
const library = functionTool({
  name: 'library__find_book',
  description: 'Finds a book.',
  input: z.object({ words: z.string() }),
  effect: 'pure',
  run: () => ({ title: 'Frankenstein', isbn: '9780486282114' }),
});
const play = { flow: buyBook, text: 'Frankenstein', agents: [reviewer], tools: [price, placeOrder, library] };

void test('a book that a person agrees to is ordered', async () => {
  const { tree } = await playRun(play);
  assert.equal(tree.status, 'completed');
  assert.ok(typeof tree.answer === 'string');
  assert.match(tree.answer, /7\.5 euros with shipping, ordered as B-2114-1/);
});

void test('a book that a person does not want is not', async () => {
  const { tree } = await playRun({ ...play, decide: () => ({ decision: 'reject', rationale: 'too dear' }) });
  assert.ok(typeof tree.answer === 'string');
  assert.match(tree.answer, /not ordered/);
  assert.equal(tree.steps.find(({ call }) => call?.tool === 'place_order')?.status, 'skipped');
});
