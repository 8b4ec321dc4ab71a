import type { z } from 'zod';
import { askedAbout } from '../../run/asking.ts';
import { textOf, undecidedApprovals, type RunTree, type Step } from '../../run/tree.ts';
import { isBlobRef } from '../../run/values.ts';
import { visible } from '../../run/visible.ts';
import type { ChatMessage, ConversationState, ExecutionTrace, HitlContext } from '../../wire/applications.ts';
import { logoUrl, type ApplicationBody } from './application-form.ts';

/** How a session stands, by its newest run. */
export function stateOf(tree: RunTree): ConversationState {
  if (undecidedApprovals(tree).length > 0) return 'awaiting_hitl_review';
  if (!tree.ended) return 'executing';
  return fieldOf(stageOf(tree, 'plan')?.result, 'is') === 'clarify'
    ? 'awaiting_clarification'
    : 'awaiting_input';
}

/** What a person is asked, and what the skills have given so far. */
export function hitlContext(tree: RunTree, run: string): z.infer<typeof HitlContext> | undefined {
  const [asked] = undecidedApprovals(tree);
  if (!asked) return undefined;
  const { title, priority, allowed } = asked;
  const outputs = skillsIn(tree).map((step) => [step.key, outputOf(step)] as const);
  return {
    title: visible(title),
    message: askedAbout(asked).join('\n'),
    priority,
    allowed_decisions: [...allowed],
    run_id: run,
    fingerprint: asked.fingerprint,
    node_outputs: Object.fromEntries(outputs),
  };
}

/** What a run did, as a trace. */
export function traceOf(tree: RunTree, run: string): z.infer<typeof ExecutionTrace> {
  const skills = skillsIn(tree);
  const { startedAt = 0, endedAt = tree.at } = tree;
  return {
    run_id: run,
    plan: valueOf(stageOf(tree, 'plan')?.result) ?? null,
    execution_log: skills.map((step, i) => ({
      step: i + 1,
      skill_id: step.agent ?? step.key,
      skill_type: step.kind === 'agent' ? 'agent' : 'skill',
      skill_name: step.title.replace(/^Running(?: agent)?: /, ''),
      status: step.status,
      duration_ms: Math.max(0, (step.closedAt ?? step.openedAt ?? 0) - (step.openedAt ?? 0)),
      error: step.failure?.message ?? null,
    })),
    skills_invoked: skills
      .filter(({ openedAt: at }) => at !== undefined)
      .map((step) => step.agent ?? step.key),
    total_duration_ms: Math.max(0, endedAt - startedAt),
    status: tree.ended?.outcome ?? 'running',
  };
}

/** The two messages of a run; of one that has no answer yet, what was asked. */
export function messagesOf(
  tree: RunTree,
  { run, answer }: { readonly run: string; readonly answer: string },
): ChatMessage[] {
  const { input } = tree.started ?? {};
  const text = typeof input?.text === 'string' ? input.text : (input?.text?.preview ?? '');
  const asked: ChatMessage = {
    message_id: `${run}.user`,
    role: 'user',
    content: text,
    created_at: timeText(tree.startedAt),
  };
  return tree.ended ? [asked, answerMessage(tree, { run, answer })] : [asked];
}

export function answerMessage(
  tree: RunTree,
  { run, answer }: { readonly run: string; readonly answer: string },
): ChatMessage {
  const enhanced = fieldOf(stageOf(tree, 'enhance')?.result, 'enhanced_prompt');
  const flags = Object.fromEntries(
    (['guardrails', 'post_guard'] as const).flatMap((key) => {
      const found = valueOf(stageOf(tree, key)?.result);
      if (typeof found !== 'object' || found === null) return [];
      const { sanitized_text: _, clarifies: _asked, ...said } = found as Record<string, unknown>;
      return [[key === 'guardrails' ? 'input' : 'output', said] as const];
    }),
  );
  return {
    message_id: `${run}.assistant`,
    role: 'assistant',
    content: answer,
    ...(typeof enhanced === 'string' && { enhanced_prompt: enhanced }),
    execution_trace: traceOf(tree, run),
    guardrail_flags: flags,
    created_at: timeText(tree.endedAt ?? tree.at),
  };
}

/** What people see when they begin. */
export function metadataOf(app: string, { description, settings: { chat } }: ApplicationBody) {
  return {
    app_name: chat.name ?? app,
    app_description: description,
    app_logo_url: logoUrl(chat),
    welcome_prompt: chat.welcome ?? null,
    disclaimer: chat.disclaimer ?? null,
    starter_questions: chat.starters,
  };
}

export function timeText(at: number | undefined): string {
  return new Date(at ?? 0).toISOString();
}

function stageOf(tree: RunTree, key: string): Step | undefined {
  return [...tree.steps.values()].find((step) => step.id !== 0 && step.parent === 0 && step.key === key);
}

function skillsIn(tree: RunTree): readonly Step[] {
  const stage = stageOf(tree, 'execute');
  return stage ? [...tree.steps.values()].filter(({ id, parent }) => id !== 0 && parent === stage.id) : [];
}

function outputOf(step: Step): string {
  const value = valueOf(step.result);
  return typeof value === 'string' ? value : textOf(step);
}

/** What is large is kept beside the journal; here its beginning will do. */
function valueOf(result: Step['result']): unknown {
  return isBlobRef(result) ? result.preview : result;
}

function fieldOf(result: Step['result'], name: string): unknown {
  return Reflect.get(Object(valueOf(result)) as object, name);
}
