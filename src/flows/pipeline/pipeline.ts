import { z } from 'zod';
import type { Flow, RunInput, Scope } from '../../engine/scope.ts';
import { factName } from '../../run/combined-state.ts';
import { RunError } from '../../run/failure.ts';
import { pipelineStages, stageKind, type PipelineStage } from '../../run/pipeline-stages.ts';
import { boundedAloud } from '../exchange.ts';
import { guard, guardAttached, type Guarded, type GuardedAttachments, type TextChecks } from './guard.ts';
import { readSkillPlan, skillPlanSchema, type SkillPlan } from './plan.ts';
import { hasSources, retrieve, type Passage, type RetrievalMeans } from './retrieve.ts';
import { skillTitle, type PipelineSettings } from './settings.ts';
import { runGeneral, runSkills, type SkillMeans, type Working } from './skills.ts';
import {
  blockedText,
  enhancing,
  fallbackText,
  planning,
  withheldText,
  withQuestion,
  type Request,
} from './words.ts';

/** Moves when runs that were recorded would not fit the code any more. */
export const pipelineVersion = '1';

/** What an application stands on besides its settings. */
export interface PipelineMeans extends SkillMeans, RetrievalMeans {
  readonly checks: TextChecks;
}

/** A guarded chat: each stage that takes time is a step, and all of them are shown before the first begins. */
export function pipeline(settings: PipelineSettings, means: PipelineMeans): Pick<Flow, 'run'> {
  return { run: (scope, input) => answer(scope, input, { settings, means }) };
}

interface Application {
  readonly settings: PipelineSettings;
  readonly means: PipelineMeans;
}

async function answer(scope: Scope, input: RunInput, app: Application): Promise<string> {
  const { settings, means } = app;
  scope.plan(pipelineStages.map(({ key, title }) => ({ key, title, kind: stageKind })));
  let looked: Promise<GuardedAttachments> | undefined;
  const attached = (): Promise<GuardedAttachments> =>
    (looked ??= guardAttached(input.attachments, means.checks));
  const heard = await stage(scope, 'guardrails', async (inner) =>
    hear(inner, input, { ...app, attached: await attached() }),
  );
  if (!heard.is_safe) {
    bypass(scope, 'guardrails', 'Blocked by guardrails');
    return blockedText(heard.violations);
  }
  if (heard.clarifies) remember(scope, input, null);
  const asked = heard.clarifies ? withQuestion(heard.sanitized_text, heard.clarifies) : heard.sanitized_text;
  const request = await understood(scope, asked, app);
  const plan = await stage(scope, 'plan', (inner) => decide(inner, request, app));
  if (plan.is === 'clarify') {
    bypass(scope, 'plan', 'Clarification needed');
    remember(scope, input, { text: asked, question: plan.question });
    return plan.question;
  }
  if (plan.is === 'fallback' && (plan.message !== '' || settings.models.general === undefined)) {
    bypass(scope, 'plan', 'Fallback response');
    return fallbackText(settings, plan.message);
  }
  const output = await stage(scope, 'execute', async (inner) => {
    const { attachments } = await attached();
    const given = { request, attachments, settings, means };
    return plan.is === 'work' ? runSkills(inner, { ...given, plan }) : answerPlainly(inner, given);
  });
  const passed = await stage(scope, 'post_guard', (inner) =>
    guard(inner, output, { checks: means.checks, side: 'output' }),
  );
  // Within another run its own guards have the last word.
  if (passed.is_agreed && scope.id === 0) scope.letPass();
  return passed.is_safe ? passed.sanitized_text : withheldText(settings, passed.violations);
}

/** A stage of the pipeline: it was shown as planned, and is shown with its result. */
function stage<T>(scope: Scope, key: PipelineStage, work: (scope: Scope) => Promise<T>): Promise<T> {
  const { title, icon } = pipelineStages.find((one) => one.key === key) ?? { title: key, icon: 'circle' };
  return scope.step({ key, kind: stageKind, title, icon }, work);
}

/** What comes after a stage is not done, and says so at once. */
function bypass(scope: Scope, after: PipelineStage, reason: string): void {
  const at = pipelineStages.findIndex(({ key }) => key === after);
  for (const { key } of pipelineStages.slice(at + 1)) scope.skip(key, reason);
}

interface Asked {
  readonly text: string;
  readonly question: string;
}

/** What is known of it in the conversation. */
function clarifying(app: string): string {
  return `clarifying ${app}`;
}

const Clarifying = z.object({ text: z.string(), question: z.string() });

/** What a person said, as it may pass, and the question it answers, where one was asked back. */
async function hear(
  scope: Scope,
  { text, app }: RunInput,
  { means, attached }: Application & { readonly attached: GuardedAttachments },
): Promise<Guarded & { readonly clarifies?: Asked }> {
  const fact = clarifying(app);
  const known = await scope.shared([fact]);
  const waiting = Clarifying.safeParse(known[fact]).data;
  const guarded = await guard(scope, text, { checks: means.checks, side: 'input', attached });
  return waiting && guarded.is_safe ? { ...guarded, clarifies: waiting } : guarded;
}

/** Within another run nobody can be asked back: the question is all that comes of it there. */
function remember(scope: Scope, { app }: RunInput, asked: Asked | null): void {
  if (scope.id !== 0) return;
  scope.save(factName(clarifying(app)), 'shared', { fact: asked === null ? null : { ...asked } });
}

/** The request as the planner gets it: made clearer, with passages and what was said before. */
async function understood(scope: Scope, asked: string, app: Application): Promise<Request> {
  const { settings, means } = app;
  const all = await scope.history();
  const clean = all.map((exchange) => ({
    ...exchange,
    text: means.checks.check(exchange.text, 'input').text,
  }));
  const history = boundedAloud(scope, clean, {});
  let text = asked;
  if (settings.models.enhancer === undefined) scope.skip('enhance', 'No enhancer is set.');
  else {
    const made = await stage(scope, 'enhance', (inner) => enhance(inner, asked, { settings, history }));
    text = made.enhanced_prompt;
  }
  let passages: readonly Passage[] = [];
  if (!hasSources(settings, means)) scope.skip('rag', 'There is nothing to retrieve from.');
  else passages = await stage(scope, 'rag', (inner) => retrieve(inner, app, text));
  return { text, history, passages };
}

const Enhanced = z.strictObject({
  enhanced_prompt: z.string().trim().min(1),
  detected_intent: z.string(),
  confidence: z.number().min(0).max(1),
});

/** Without an enhancer that answers, the message stays as it is. */
async function enhance(
  scope: Scope,
  text: string,
  { settings, history }: Pick<Application, 'settings'> & Pick<Request, 'history'>,
): Promise<z.output<typeof Enhanced>> {
  try {
    const made = await scope.turn(settings.models.enhancer ?? '', text, {
      schema: Enhanced,
      title: 'Enhancing',
      before: enhancing(settings, history),
    });
    scope.say(made.enhanced_prompt);
    return made;
  } catch (thrown) {
    scope.notice('ENHANCE_FAILED', `${sentenceOf(thrown)} The message goes on as it is.`);
    return { enhanced_prompt: text, detected_intent: '', confidence: 0 };
  }
}

/** Without a planner that answers, people get what can be said without one. What it writes itself passes the guards. */
async function decide(scope: Scope, request: Request, { settings, means }: Application): Promise<SkillPlan> {
  try {
    const { text } = await scope.turn(settings.models.planner ?? '', {
      messages: planning(settings, request),
      answerSchema: skillPlanSchema(settings.skills),
      title: 'Planning',
    });
    const { plan, repairs } = readSkillPlan(text, settings.skills);
    for (const repair of repairs) scope.notice('PLAN_REPAIRED', repair);
    scope.say(explained(plan, settings));
    const checked = (words: string): string => means.checks.check(words, 'output').text;
    if (plan.is === 'clarify') return { ...plan, question: checked(plan.question) };
    return plan.is === 'fallback' ? { ...plan, message: checked(plan.message) } : plan;
  } catch (thrown) {
    scope.notice('PLAN_FAILED', `${sentenceOf(thrown)} No skill is asked.`);
    return { is: 'fallback', message: 'I could not work out how to answer this now.', reasoning: '' };
  }
}

function explained(plan: SkillPlan, settings: PipelineSettings): string {
  if (plan.is === 'clarify') return `Asks back: ${plan.question}`;
  if (plan.is === 'fallback') return plan.message || 'No skill is needed.';
  const { strategy, tasks, reasoning } = plan.route;
  const names = tasks.map(({ agent }) => {
    const skill = settings.skills.find(({ name }) => name === agent);
    return skill ? skillTitle(skill) : agent;
  });
  return `${strategy}: ${names.join(', ')}${reasoning === '' ? '' : `. ${reasoning}`}`;
}

/** Where the model that answers by itself fails, what cannot be done is said. */
async function answerPlainly(scope: Scope, given: Omit<Working, 'plan'>): Promise<string> {
  try {
    return await runGeneral(scope, given);
  } catch (thrown) {
    scope.notice('AGENT_FAILED', `${sentenceOf(thrown)} There is no answer but that.`);
    return fallbackText(given.settings, 'I could not find an answer now.');
  }
}

/** What is expected to fail is said; anything else is a bug, and goes on. */
function sentenceOf(thrown: unknown): string {
  if (thrown instanceof RunError) return thrown.message;
  throw thrown;
}
