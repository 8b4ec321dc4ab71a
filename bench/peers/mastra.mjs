// Mastra with its libSQL store: a chain of steps, each of which gets what the one before has given.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mastra } from '@mastra/core/mastra';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { measured } from './measured.mjs';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-peer-'));
const said = z.object({ said: z.string() });
let chain;

await measured(async (nodes, runId) => {
  chain ??= chainOf(nodes);
  const run = await chain.createRun({ runId });
  const { status, result } = await run.start({ inputData: { said: '' } });
  if (result?.said !== `n${nodes - 2} ${nodes - 1}`)
    throw new Error(`it ended ${status} with ${result?.said}`);
});

function chainOf(nodes) {
  let workflow = createWorkflow({ id: 'chain', inputSchema: said, outputSchema: said });
  for (let i = 0; i < nodes; i += 1)
    workflow = workflow.then(
      createStep({
        id: `n${i}`,
        inputSchema: said,
        outputSchema: said,
        execute: async ({ inputData }) => ({
          said: `n${i - 1} ${inputData.said === '' ? '' : i}`.trim(),
        }),
      }),
    );
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'mastra.db')}` });
  return new Mastra({ workflows: { chain: workflow.commit() }, storage, logger: false }).getWorkflow('chain');
}
