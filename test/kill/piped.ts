// An application with every stage: passages from three tools, and skills that are agents and tools of all effects.
import type { Flow } from '../../src/engine/scope.ts';
import { checksOf } from '../../src/flows/pipeline/guard.ts';
import { pipeline, pipelineVersion } from '../../src/flows/pipeline/pipeline.ts';
import { PipelineSettings } from '../../src/flows/pipeline/settings.ts';
import { AppGuards } from '../../src/guards/guard-settings.ts';
import type { Script } from '../../src/gateways/scripted/script.ts';
import { planOf, planStep } from '../pipeline.ts';

const tools = ['tool1', 'tool2', 'tool4', 'tool5', 'tool7', 'tool8', 'tool9'];
const skills = [
  { name: 'clerk', type: 'agent' },
  { name: 'writer', type: 'agent' },
  ...tools.map((name) => ({ name, type: 'tool' })),
];

const plan = planOf(
  'hybrid',
  skills.map(({ name }, i) => planStep(i + 1, name, { depends_on: i % 3 === 2 ? [i] : [] })),
  { final_output_from: '2' },
);

/** Who enhances, plans and fills in what tools take. */
export const deskScripts: Readonly<Record<string, Script>> = {
  enhancer: () => [
    { type: 'say', text: '{"enhanced_prompt":"begin now",' },
    { type: 'say', text: '"detected_intent":"to begin","confidence":1}' },
  ],
  decider: () => [{ type: 'say', text: JSON.stringify(plan) }],
  filler: () => [{ type: 'say', text: '{"n":1}' }],
};

const settings = PipelineSettings.parse({
  models: { planner: 'decider', enhancer: 'enhancer', general: 'filler' },
  persona: { text: 'You begin.' },
  retrieval: { tools: ['tool0', 'tool3', 'tool6'] },
  skills,
});

const guards = AppGuards.parse({
  input: [{ guard: 'pii', action: 'redact' }],
  output: [{ guard: 'pii' }],
});

export const piped: Flow = {
  name: 'piped',
  version: pipelineVersion,
  ...pipeline(settings, {
    checks: checksOf(guards),
    tool: () => ({ description: 'a tool', schema: { type: 'object' } }),
    workflow: () => Promise.reject(new Error('there are no workflows here')),
    app: () => Promise.reject(new Error('there are no apps here')),
  }),
};
