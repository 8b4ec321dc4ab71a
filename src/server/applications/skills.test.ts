import { describe, expect, test } from 'vitest';
import { deskConfig, desksConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { serving, type Serving } from '../../../test/serving.ts';

const plans = [planOf('single', [planStep(1, 'survey', { skill_type: 'workflow' })])];
const skills = [{ name: 'survey', type: 'workflow', title: 'Survey', description: 'surveys links' }] as const;
const survey = {
  name: 'survey',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'look', type: 'agent', agent: 'graph', message: 'Which paths? {{input.text}}' },
    { id: 'end', type: 'end', output: 'Surveyed: {{nodes.look.output}}' },
  ],
  edges: [
    { from: 'start', to: 'look' },
    { from: 'look', to: 'end' },
  ],
};

test('[PL33] a workflow is a skill: its nodes are steps of the same run, and its output is what the skill gave', async () => {
  const config = { ...deskConfig({ plans, settings: { skills } }), workflows: { survey } };
  const at = await serving({ config });
  const answer = await at.ask('/api/applications/desk/chat', { json: { message: 'Look at Lisbon' } });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('Surveyed: three paths');
  const { json } = await at.ask(`/api/runs/${answer.headers.get('x-run-id')}`);
  const { steps } = json as { steps: { id: number; parent: number; key: string; kind: string }[] };
  const look = steps.find(({ key }) => key === 'look');
  const skill = steps.find(({ id }) => id === look?.parent);
  expect([look?.kind, skill?.key]).toEqual(['agent', 'skill_1']);
  expect((await at.ask('/api/skills?type=workflow')).text).toContain('"survey"');
});

test('[PL33] one that is not there is refused when the application is saved', async () => {
  const at = await serving({ config: deskConfig({ plans: [] }) });
  const json = { name: 'own', skill_links: [{ skill_id: 'nowhere', skill_type: 'workflow' }] };
  const made = await at.ask('/api/applications', { json });
  expect([made.status, made.text]).toEqual([400, expect.stringContaining('there is no workflow «nowhere»')]);
});

describe('an application as a skill of another', () => {
  const asApp = planOf('sequential', [planStep(1, 'inner', { skill_type: 'app' }), planStep(2, 'books')]);
  const outer = {
    plans: [asApp],
    settings: {
      skills: [
        { name: 'inner', type: 'app', title: 'Inner', description: 'knows links' },
        { name: 'books', type: 'agent', title: 'Books', description: 'knows runbooks' },
      ],
    },
  };
  const inner = { plans: [planOf('single', [planStep(1, 'graph')])] };

  interface Told {
    readonly status: string;
    readonly answer?: string;
    readonly steps: readonly { id: number; parent: number; key: string; status: string; kind: string }[];
  }

  async function asked(at: Serving): Promise<Told> {
    const answer = await at.ask('/api/applications/outer/chat', { json: { message: 'Which paths?' } });
    const run = answer.headers.get('x-run-id');
    const { json } = await at.ask('/api/runs');
    expect((json as { runs: unknown[] }).runs).toHaveLength(1);
    return (await at.ask(`/api/runs/${run}`)).json as Told;
  }

  test('[PL81] its stages are steps below the skill, in the same run, and its answer goes on', async () => {
    const at = await serving({ config: desksConfig({ outer, inner }) });
    const { steps, answer } = await asked(at);
    const below = (key: string, parent: number): number =>
      steps.find((step) => step.key === key && step.parent === parent)?.id ?? -1;
    const skill = below('skill_1', below('execute', 0));
    const stages = steps.filter(({ parent, kind }) => parent === skill && kind === 'stage');
    expect(stages.map(({ key, status }) => `${key} ${status}`)).toEqual(
      ['guardrails', 'enhance', 'rag', 'plan', 'execute', 'post_guard'].map((key) => `${key} completed`),
    );
    expect(below('skill_1', below('execute', skill))).toBeGreaterThan(skill);
    expect(answer).toBe('see page 4');
  });

  test('[PL81] it works on the budget of the run it is a part of', async () => {
    const config = desksConfig({ outer, inner });
    const bounded = { ...config.apps?.['outer'], limits: { turns: 3 } };
    const at = await serving({
      config: { ...config, apps: { ...config.apps, outer: bounded } } as typeof config,
    });
    const { steps } = await asked(at);
    const turns = steps.filter(({ kind }) => kind === 'turn').map(({ status }) => status);
    expect(turns).toEqual(['completed', 'completed', 'skipped', 'skipped', 'skipped']);
  });

  test('[PL81] one that would be a skill of itself is refused', async () => {
    const settings = { skills: [{ name: 'outer', type: 'app', description: 'itself' }] };
    const started = serving({ config: desksConfig({ outer: { ...outer, settings } }) });
    await expect(started).rejects.toThrow('an app cannot be a skill of itself; name another one');
  });
});
