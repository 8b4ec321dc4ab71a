import type { EventOf } from '../run/events.ts';
import { isFinal } from '../run/tree.ts';
import type { StoryEvent } from './story.ts';

export type Question = EventOf<'approval.requested'>;

/** The questions to people that are open, by their approvals, oldest first. */
export type Questions = Map<string, Question>;

type Heeded = Extract<
  StoryEvent,
  { type: 'approval.requested' | 'approval.decided' | 'approval.lapsed' | 'step.closed' | 'stop.requested' }
>;

/** Keeps what protocols ask whose answers end at a question. */
export function heed(questions: Questions, event: Heeded): void {
  switch (event.type) {
    case 'approval.requested':
      questions.set(event.approval, event);
      return;
    case 'approval.decided':
      if (isFinal(event.decision)) questions.delete(event.approval);
      return;
    case 'approval.lapsed':
      questions.delete(event.approval);
      return;
    case 'step.closed':
      for (const [approval, { step }] of questions) if (step === event.step) questions.delete(approval);
      return;
    case 'stop.requested':
      questions.clear();
  }
}
