import { agreedTo } from '../../guards/apply-guard.ts';
import { joined } from '../../guards/guard-joined.ts';
import { guardOf } from '../../guards/guard-of.ts';
import { AppGuards } from '../../guards/guard-settings.ts';
import type { Guard } from '../../guards/guard.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { saysAnswer } from '../../run/answer-text.ts';
import type { StepId } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { readAs } from '../../run/parsed.ts';
import type { RunTree } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';

/** What a run may say, by the definition it began with. */
export interface RunGuards {
  /** For texts that arrive: with the secrets. */
  readonly texts: Guard;
  /** The same for the answer, which waits where somebody judges it. */
  readonly answer: Guard;
  /** For values that are whole, secrets aside. */
  readonly values: Guard;
  readonly covers: AppGuards['covers'];
}

interface Made extends Pick<AppGuards, 'covers'> {
  readonly input: Guard | undefined;
  readonly output: Guard | undefined;
  /** Somebody judges the answer when it is whole. */
  readonly isJudged: boolean;
}

/** Guards of the apps that were run last: to read their patterns takes longer than a short run. */
const made = new Map<string, Made>();
const mostMade = 50;

function guardsIn(definition: Json | undefined): Made | undefined {
  const guards: unknown = Reflect.get(Object(definition) as object, 'guards');
  if (guards === undefined) return undefined;
  const name = JSON.stringify(guards);
  const known = made.get(name) ?? makeGuards(guards);
  made.delete(name);
  made.set(name, known);
  for (const oldest of made.keys()) if (made.size > mostMade) made.delete(oldest);
  return known;
}

/** Fails where guards cannot be used: nothing is done then. */
function makeGuards(given: unknown): Made {
  const read = readAs(AppGuards, given);
  if (!read.fits) {
    const wrong = read.wrong.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    throw new RunError('malformed', `The guards of this app cannot be used: ${wrong}`);
  }
  const { input, output, covers } = read.value;
  const hiding = input.map((each) => ({ ...each, action: 'redact' as const }));
  return {
    input: hiding.length === 0 ? undefined : guardOf(hiding, 'input'),
    output: output.length === 0 ? undefined : guardOf(output, 'output'),
    covers,
    isJudged: output.some(({ guard }) => guard === 'judge'),
  };
}

/** What a run may say; once a person agreed, also what its guards only ask about. */
export function runGuardsIn(
  definition: Json | undefined,
  secrets: Secrets,
  isAgreed = false,
): RunGuards | undefined {
  const { output, covers = 'answer', isJudged = false } = guardsIn(definition) ?? {};
  if (!output) return undefined;
  const values = isAgreed ? agreedTo(output) : output;
  const texts: Guard = {
    looksBack: true,
    isWhole: values.isWhole ?? false,
    find: (text, before) => joined(secrets.find(text), values.find(text, before)),
  };
  return { texts, answer: isJudged ? { ...texts, isWhole: true } : texts, values, covers };
}

/** What a person said, as models, later runs and searches get it: what is found is hidden, whatever else becomes of it. */
export function inputGuardIn(definition: Json | undefined): Guard | undefined {
  return guardsIn(definition)?.input;
}

/** Who looks at what a step says; nobody but for secrets, where it is not covered. */
export function guardAt(guards: RunGuards, tree: RunTree, step: StepId): Guard | undefined {
  if (isAnswer(tree, step)) return guards.answer;
  return guards.covers === 'everything' ? guards.texts : undefined;
}

/** Whether what a step says is the answer, or part of it. */
function isAnswer(tree: RunTree, id: StepId): boolean {
  const step = tree.steps.get(id);
  if (!step) return false;
  if (step.id === 0) return true;
  const above = step.parent === undefined ? undefined : tree.steps.get(step.parent);
  return saysAnswer(step, above && { says: isAnswer(tree, above.id), kind: above.kind });
}
