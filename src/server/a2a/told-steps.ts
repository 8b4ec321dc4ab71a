import { flatStep, type FlatStep } from '../../run/flat-step.ts';
import type { Entry } from '../../run/events.ts';
import { type RunTree, type Step, filled, present } from '../../run/tree.ts';
import { saysAnswer } from '../../run/answer-text.ts';
import type { SaidInStep } from '../../wire/a2a.ts';
/** A step as the artifact has it. */
export type ToldStep = FlatStep & {
  /** What it says is the answer of the run. */
  readonly says?: true;
};

/** What has become of the steps of a run: those that changed, without their words, and the words that were added. */
export interface StepNews {
  readonly steps?: readonly ToldStep[];
  readonly said?: readonly SaidInStep[];
}

export function toldStep(tree: RunTree, step: FlatStep): ToldStep {
  const known = tree.steps.get(step.id);
  return known && isAnswer(tree, known) ? { ...step, says: true } : step;
}

/** What entries brought; undefined where it is nothing of steps. */
export function stepNews(tree: RunTree, entries: readonly Entry[]): StepNews | undefined {
  const changed = new Set<number>();
  const said: SaidInStep[] = [];
  for (const { event } of entries) {
    if (!('step' in event) || event.step === 0 || !tree.steps.has(event.step)) continue;
    if (event.type === 'text.appended') hear(said, { id: event.step, ...event });
    else changed.add(event.step);
  }
  if (changed.size === 0 && said.length === 0) return undefined;
  const steps = [...changed].flatMap((id) => {
    const step = tree.steps.get(id);
    return step
      ? [
          toldStep(
            tree,
            flatStep(step, [], () => ''),
          ),
        ]
      : [];
  });
  return present({ steps: filled(steps), said: filled(said) });
}

/** Whether what is said in a step is the answer of the run. */
export function isAnswer(tree: RunTree, step: Step): boolean {
  const above = step.id === 0 ? undefined : tree.steps.get(step.parent);
  return saysAnswer(step, above && { says: isAnswer(tree, above), kind: above.kind });
}

function hear(said: SaidInStep[], { id, channel, text }: SaidInStep): void {
  const last = said.at(-1);
  if (last?.id === id && last.channel === channel)
    said.splice(-1, 1, { id, channel, text: last.text + text });
  else said.push({ id, channel, text });
}
