import { expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { serving, textAt, untilAnswer, type Serving } from '../../../test/serving.ts';
import { graphOf } from '../../../test/workflow/world.ts';

const limits = { turns: 2, calls: 3, seconds: 30 };

async function startedWith({ ask }: Serving, app: string): Promise<unknown> {
  const begun = await ask('/api/runs', { json: { app, input: { text: 'go' } } });
  const run = textAt(begun, 'run');
  const { text } = await untilAnswer(
    () => ask(`/api/runs/${run}/entries`),
    (answer) => answer.text.includes('run.started'),
  );
  return JSON.parse(/"limits":(\{[^}]*\})/.exec(text)?.[1] ?? 'null');
}

test('[WR33] a workflow that people make uses no more than the configuration allows, and says no more', async () => {
  const at = await serving({ config: { ...deskConfig({ plans: [] }), limits } });
  const graph = (more: object) => ({ ...graphOf([{ id: 'a', type: 'template', value: 'x' }], ''), ...more });
  const save = (name: string, more: object) =>
    at.ask(`/api/workflows/${name}/draft`, {
      method: 'PUT',
      json: { graph: { ...graph(more), name }, revision: 0 },
    });
  await save('greedy', { limits: { turns: 1_000_000, calls: 1 } });
  const refused = await at.ask('/api/workflows/greedy/publish', { json: {} });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('1000000 is more than the 2 that a workflow may use here'),
  ]);
  await save('modest', { limits: { calls: 1 } });
  expect((await at.ask('/api/workflows/modest/publish', { json: {} })).status).toBe(200);
  expect(await startedWith(at, 'workflow:modest')).toEqual({ ...limits, calls: 1, depth: 24 });
});

test('[PL36] an application that people make uses no more than the configuration allows', async () => {
  const plans = [planOf('single', [planStep(1, 'graph')])];
  const at = await serving({ config: { ...deskConfig({ plans }), limits } });
  const made = await at.ask('/api/applications', {
    json: {
      name: 'own',
      description: 'Own.',
      llm_links: [{ llm_id: 'planner', role: 'orchestrator' }],
      skill_links: [{ skill_id: 'graph', skill_type: 'agent', skill_name: 'Graph' }],
      welcome_prompt: 'Hello.',
      sorry_message: 'Sorry.',
      starter_questions: ['Which paths?'],
      persona_id: 'Technical Expert',
    },
  });
  expect(made.status).toBe(201);
  const published = await at.ask('/api/applications/own/publish', { json: {} });
  expect([published.status, published.text]).toEqual([200, expect.anything()]);
  expect(await startedWith(at, 'own')).toEqual(limits);
});
