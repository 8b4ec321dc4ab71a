import type { Scope } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { delegate } from '../coordinate/delegate.ts';
import type { Finding } from '../coordinate/words.ts';
import { work, type Asked } from '../coordinate/work.ts';
import type { SkillPlan } from './plan.ts';
import { skillTitle, type PipelineSettings, type Skill, type SkillType } from './settings.ts';
import { answering, withPassages, type Request } from './words.ts';
import { whatEnded } from '../exchange.ts';

/** What skills stand on. */
export interface SkillMeans {
  /** A tool as a model is told of it. */
  tool(name: string): { readonly description: string; readonly schema: Json } | undefined;
  /** What another app does, within a step of this run. */
  app(scope: Scope, name: string, asked: Asked): Promise<string>;
  /** The same of a workflow. */
  workflow(scope: Scope, name: string, asked: Asked): Promise<string>;
}

export interface Working {
  readonly request: Request;
  readonly attachments: Asked['attachments'];
  readonly plan: Extract<SkillPlan, { is: 'work' }>;
  readonly settings: PipelineSettings;
  readonly means: SkillMeans;
}

/** What came of the skills of a plan, as an answer. A skill that fails takes nobody down. */
export async function runSkills(scope: Scope, working: Working): Promise<string> {
  const { request, attachments, plan, settings } = working;
  const agents = settings.skills.map(({ name, title, description }) => ({ name, title, description }));
  const findings = await work(scope, {
    text: request.text,
    attachments,
    settings: { agents, fallback: agents[0]?.name ?? '' },
    route: plan.route,
    look: ({ agent }) => looksOf(skillNamed(settings, agent)),
    ask: (inner, { name }, asked) => runSkill(inner, skillNamed(settings, name), { ...working, asked }),
  });
  const keyed = plan.route.tasks.map(({ key }, i) => [key, findings[i]] as const);
  return outputOf(keyed, plan.finalFrom, settings);
}

/** The model that answers what needs no skill works like one. */
export async function runGeneral(
  scope: Scope,
  { request, settings }: Omit<Working, 'plan'>,
): Promise<string> {
  const { general = '' } = settings.models;
  const look = { ...looksOf({ name: general, type: 'agent' }), agent: general };
  return scope.step({ key: 'skill_1', ...look }, async (inner) => {
    const { text, finish } = await inner.turn(general, {
      messages: answering(settings, request),
      title: 'Answering',
    });
    const ended = whatEnded({ finish });
    return ended === undefined ? text : `${text}\n\n[This answer ${ended}.]`;
  });
}

function looksOf(skill: Pick<Skill, 'name' | 'title' | 'type'>): {
  title: string;
  kind: string;
  icon: string;
} {
  const isAgent = skill.type === 'agent';
  return {
    title: `${isAgent ? 'Running agent' : 'Running'}: ${skillTitle(skill)}`,
    kind: isAgent ? 'agent' : 'skill',
    icon: isAgent ? 'smart_toy' : 'play_circle',
  };
}

interface Doing extends Working {
  readonly asked: Asked;
}

type RunSkill = (scope: Scope, skill: Skill, doing: Doing) => Promise<string>;

const ways: Readonly<Record<SkillType, RunSkill>> = {
  agent: (scope, { name, title, description }, { asked }) =>
    delegate(scope, { name, title, description }, asked),
  app: (scope, { name }, { asked, means }) => means.app(scope, name, asked),
  tool: callTool,
  workflow: (scope, { name }, { asked, means }) => means.workflow(scope, name, asked),
};

function runSkill(scope: Scope, skill: Skill, doing: Doing): Promise<string> {
  const isRead = skill.passages && skill.type !== 'tool';
  const text = withPassages(doing.asked.text, isRead ? doing.request.passages : []);
  return ways[skill.type](scope, skill, { ...doing, asked: { ...doing.asked, text } });
}

/** A tool takes the message itself where a text is all it wants; else the planner fills in what it takes. */
async function callTool(scope: Scope, { name }: Skill, { asked, means, settings }: Doing): Promise<string> {
  const tool = means.tool(name);
  if (!tool) throw new RunError('unknown', `There is no tool «${name}» now.`);
  const only = onlyText(tool.schema);
  const input =
    only === undefined ? await argumentsFor(scope, tool, { asked, settings }) : { [only]: asked.text };
  const called = await scope.call(name, input, { key: 'call' });
  if ('failure' in called) throw new RunError(called.failure.code, called.failure.message);
  return typeof called.result === 'string' ? called.result : JSON.stringify(called.result);
}

async function argumentsFor(
  scope: Scope,
  { description, schema }: { readonly description: string; readonly schema: Json },
  { asked, settings }: Pick<Doing, 'asked' | 'settings'>,
): Promise<Json> {
  const { general, planner = '' } = settings.models;
  const { text } = await scope.turn(general ?? planner, {
    key: 'arguments',
    title: 'Arguments',
    messages: [
      { role: 'system', text: `Give the arguments of a tool as JSON. The tool: ${description}` },
      { role: 'user', text: asked.text },
    ],
    answerSchema: schema,
  });
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new RunError('malformed', 'The arguments for it could not be read: they are no JSON.', { cause });
  }
}

/** The one property that a tool needs, where it is a text. */
function onlyText(schema: Json): string | undefined {
  const { properties, required } = Object(schema) as { properties?: object; required?: unknown };
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const [name] = needed;
  if (needed.length !== 1 || typeof name !== 'string') return undefined;
  const part: unknown = Reflect.get(Object(properties) as object, name);
  return Reflect.get(Object(part) as object, 'type') === 'string' ? name : undefined;
}

function skillNamed({ skills }: PipelineSettings, name: string): Skill {
  const skill = skills.find((one) => one.name === name);
  if (!skill) throw new RunError('unknown', `The application has no skill «${name}».`);
  return skill;
}

const apart = '\n\n---\n\n';

/** What the plan wants as the answer; where nothing came of that, what there is, with what went wrong. */
function outputOf(
  findings: readonly (readonly [string, Finding | undefined])[],
  wanted: readonly string[],
  { chat }: PipelineSettings,
): string {
  const final = findings.filter(([key]) => wanted.includes(key)).flatMap(([, finding]) => finding ?? []);
  const all = findings.flatMap(([, finding]) => finding ?? []);
  const broken = all.filter((finding) => finding.failure !== undefined || finding.skipped !== undefined);
  const told = final.filter(({ text }) => text.trim() !== '');
  const said = told.length > 0 ? told : all.filter(({ text }) => text.trim() !== '');
  const sorry = said.length === 0 && chat.sorry ? [chat.sorry] : [];
  const failed = broken.filter(
    (finding) => said.length === 0 || wanted.length === 0 || final.includes(finding),
  );
  return [...sorry, ...said.map(({ text }) => text), ...failed.map(wentWrong)].join(
    said.length > 1 ? apart : '\n\n',
  );
}

function wentWrong({ title, failure, isDeclined = false, skipped }: Finding): string {
  if (skipped !== undefined) return `[${title} was not asked: ${skipped}]`;
  return isDeclined
    ? `[${title} was not done: ${failure}]`
    : `[Skill execution failed: ${title}: ${failure}]`;
}
