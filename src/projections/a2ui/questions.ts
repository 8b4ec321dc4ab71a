import type { EventOf } from '../../run/events.ts';
import type { OpenStep } from '../story.ts';
import { setStatus, tellStatus, type Shown, type Surface } from './scene.ts';
import { put } from './surface.ts';
import { deferredBy, mostQuestions, questionItem, questionText } from './words.ts';

export function ask(scene: Surface, requested: EventOf<'approval.requested'>, step: OpenStep<Shown>): void {
  const { memory } = scene;
  const { approval } = requested;
  if (requested.step !== step.id || memory.stop || memory.approvals.has(approval)) return;
  memory.approvals.set(approval, { key: `q${memory.asked}`, requested });
  memory.asked += 1;
  step.own.undecided += 1;
  if (step.id !== 0) setStatus(scene, step, 'waiting');
  tellQuestions(scene);
}

export function settle(scene: Surface, approval: string): void {
  const asked = scene.memory.approvals.get(approval);
  if (!asked) return;
  scene.memory.approvals.delete(approval);
  const step = scene.story.steps.get(asked.requested.step);
  if (step) step.own.undecided -= 1;
  if (step && step.id !== 0 && step.own.undecided === 0) setStatus(scene, step, 'running');
  tellQuestions(scene);
}

/** Somebody has put it off, or it has come back: it is still to be decided. */
export function putOff(scene: Surface, event: EventOf<'approval.decided' | 'approval.returned'>): void {
  const { approvals } = scene.memory;
  const asked = approvals.get(event.approval);
  if (!asked) return;
  const requested = deferredBy(asked.requested, event);
  approvals.set(event.approval, { ...asked, requested });
  if (questionText(requested) !== questionText(asked.requested)) tellQuestions(scene);
}

/** Nobody waits for answers about a step any more: it has ended, or is tried again. */
export function forget(scene: Surface, { id, own }: OpenStep<Shown>): void {
  if (own.undecided === 0) return;
  own.undecided = 0;
  const { approvals } = scene.memory;
  for (const [approval, { requested }] of approvals) if (requested.step === id) approvals.delete(approval);
  tellQuestions(scene);
}

export function tellQuestions(scene: Surface): void {
  const all = [...scene.memory.approvals.values()].slice(0, mostQuestions);
  put(
    scene,
    ['approvals'],
    all.map(({ key, requested }) => questionItem(requested, key)),
  );
  tellStatus(scene);
}
