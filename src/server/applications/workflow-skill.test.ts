import { expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import { serving } from '../../../test/serving.ts';

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
