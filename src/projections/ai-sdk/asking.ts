import { askedBriefly } from '../../run/asking.ts';
import type { EventOf } from '../../run/events.ts';
import { questionId } from '../../run/question-id.ts';
import { shownQuestion } from '../../run/shown-question.ts';
import { isFinal } from '../../run/tree.ts';
import type { AiSdkChunk } from '../../wire/ai-sdk.ts';
import { stepName } from '../nested.ts';
import { heed, type Question } from '../questions.ts';
import type { Closing } from '../story.ts';
import { resultText } from '../speaker.ts';
import { tell, type AiSdkScene, type AiSdkStep } from './scene.ts';

export function isCall({ opening }: AiSdkStep): boolean {
  return opening.kind === 'call';
}

/** A call with all it is given. It is run here: nothing of it is left to the client. */
export function callChunk(step: AiSdkStep): AiSdkChunk {
  const { id, parent, call, title } = step;
  return {
    type: 'tool-input-available',
    toolCallId: step.own.call,
    toolName: call?.tool ?? (title || `s${id}`),
    input: call?.arguments ?? {},
    dynamic: true,
    title: title || undefined,
    toolMetadata: { step: `s${id}`, parentId: stepName(parent) ?? null },
  };
}

export function resultChunk(event: Closing, step: AiSdkStep, isDenied: boolean): AiSdkChunk {
  const toolCallId = step.own.call;
  const { outcome, result } = event;
  if (outcome === 'completed' || outcome === 'reused')
    return { type: 'tool-output-available', toolCallId, output: result ?? resultText(event), dynamic: true };
  if (isDenied) return { type: 'tool-output-denied', toolCallId };
  return { type: 'tool-output-error', toolCallId, errorText: resultText(event), dynamic: true };
}

/** A question about a call is asked there. What is asked about anything else is a call of its own. */
export function ask(scene: AiSdkScene, event: Question, step: AiSdkStep): void {
  heed(scene.memory.questions, event);
  const { priority, allowed, schema } = event;
  const reason = askedBriefly(event);
  const shown = { ...shownQuestion(event), allowed: [...allowed], priority, schema };
  const own = ownCall(event);
  const toolCallId = isAboutCall(event, step) ? step.own.call : own;
  const input = { question: reason, ...shown };
  if (toolCallId === own)
    tell(scene, { type: 'tool-input-available', toolCallId, toolName: 'ask', input, dynamic: true });
  const approvalId = questionId(event);
  tell(scene, { type: 'tool-approval-request', approvalId, toolCallId, reason, approvalDescriptor: shown });
}

function isAboutCall({ step: asked }: Question, step: AiSdkStep): boolean {
  return isCall(step) && step.id === asked;
}

function ownCall({ approval }: Question): string {
  return `ask-${approval}`;
}

/** The call goes on or is refused; a question of its own has its answer. */
export function decide(scene: AiSdkScene, event: EventOf<'approval.decided'>): void {
  const { memory } = scene;
  const { decision, by, rationale, answer } = event;
  const question = memory.questions.get(event.approval);
  heed(memory.questions, event);
  if (!question || !isFinal(decision)) return;
  const isNo = decision === 'reject' || decision === 'expire';
  if (isAboutCall(question, stepOf(scene, question))) {
    if (isNo) memory.denied.add(question.step);
    return;
  }
  const toolCallId = ownCall(question);
  const output = { decision, by, rationale, answer };
  if (isNo) tell(scene, { type: 'tool-output-denied', toolCallId });
  else tell(scene, { type: 'tool-output-available', toolCallId, output, dynamic: true });
}

/** Nobody waits for it any more; a call of its own is not left open. */
export function lapse(scene: AiSdkScene, approval: string, errorText: string): void {
  const { questions } = scene.memory;
  const question = questions.get(approval);
  questions.delete(approval);
  if (!question || isAboutCall(question, stepOf(scene, question))) return;
  tell(scene, { type: 'tool-output-error', toolCallId: ownCall(question), errorText, dynamic: true });
}

/** All of them, or those about one step. */
export function lapseAll(scene: AiSdkScene, errorText: string, step?: number): void {
  for (const { approval, step: asked } of scene.memory.questions.values())
    if (step === undefined || asked === step) lapse(scene, approval, errorText);
}

function stepOf({ story }: AiSdkScene, { step }: Question): AiSdkStep {
  return story.steps.get(step) ?? story.run;
}
