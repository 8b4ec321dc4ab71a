// LangGraph.js with its SQLite saver: a chain of nodes, each of which sees what the one before has written.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { measured } from './measured.mjs';
import { openDatabase } from './better-sqlite.mjs';

const State = Annotation.Root({ said: Annotation() });
const folder = mkdtempSync(join(tmpdir(), 'vitrine-peer-'));
const checkpointer = new SqliteSaver(openDatabase(join(folder, 'langgraph.db')));
let chain;

await measured(async (nodes, thread) => {
  chain ??= chainOf(nodes);
  const { said } = await chain.invoke(
    { said: '' },
    { configurable: { thread_id: thread }, recursionLimit: nodes + 10, durability: 'sync' },
  );
  if (said !== `n${nodes - 2} ${nodes - 1}`) throw new Error(`it said ${said}`);
});

function chainOf(nodes) {
  const graph = new StateGraph(State);
  for (let i = 0; i < nodes; i += 1) {
    graph.addNode(`n${i}`, ({ said }) => ({ said: `n${i - 1} ${said === '' ? '' : i}`.trim() }));
    graph.addEdge(i === 0 ? START : `n${i - 1}`, `n${i}`);
  }
  return graph.compile({ checkpointer });
}
