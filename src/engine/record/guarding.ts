import { cleanLong } from '../../guards/clean-value.ts';
import { guardValue, noting, type GuardedValue } from '../../guards/guard-value.ts';
import { type Kind, type Guard, redacted } from '../../guards/guard.ts';
import type { Secrets } from '../../guards/secrets.ts';
import type { Message } from '../../gateways/gateway.ts';
import { AppGuards } from '../../guards/guard-settings.ts';
import { type Json, readAs } from '../../run/values.ts';
import { RunError } from '../../run/failure.ts';
import { guardOf } from '../../guards/guard-of.ts';
import { agreedTo, applyToLong } from '../../guards/apply-guard.ts';
import { joined } from '../../guards/guard-joined.ts';
import type { RunTree, Step } from '../../run/tree.ts';
import type { StepId, SentMessage } from '../../run/events.ts';
import { saysAnswer } from '../../run/answer-text.ts';
import type { Execution } from '../execution.ts';
import { isLarge } from './large.ts';
import { guardedAttachment } from '../../guards/guarded-attachment.ts';
import { present } from '../../run/codec.ts';

/**
 * What a run builds on is what it may record: no value holds a secret, nor what its guards find where they look at
 * everything.
 */
export class Guarding {
  readonly #secrets: Secrets;
  #guards: RunGuards | undefined;
  #answers: RunGuards | undefined;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  guardBy(guards: RunGuards | undefined): void {
    this.#answers = guards;
    this.#guards = guards?.covers === 'everything' ? guards : undefined;
  }

  /** Whether guards look at everything that is recorded. */
  get looksAtAll(): boolean {
    return this.#guards !== undefined;
  }

  cleanAll<T>(value: T): T {
    return this.guarded(this.#secrets.cleanAll(value)).value;
  }

  /** The same, where guards look at these fields only: the others are names of ours, or of those who wrote the flow. */
  cleanIn<T extends object>(given: T, names: readonly (keyof T & string)[]): T {
    const value = this.#secrets.cleanAll(given);
    if (!this.#guards) return value;
    const said = Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
    const { value: guarded } = this.guarded(said);
    return guarded === said ? value : { ...value, ...guarded };
  }

  /** A large answer, which guards look at whatever else they cover: one that an entry carries is looked at with it. */
  async guardAnswer(text: string, rest: () => Promise<void>): Promise<GuardedValue<string>> {
    return this.#answers ? guardLong(this.#answers, text, rest) : { value: text, kinds: [] };
  }

  /** A message to a model, of which guards leave the role as it is. */
  message({ role, ...said }: Message): Message {
    return { role, ...this.guarded(said).value };
  }

  /** Without what guards find, and what that was. */
  guarded<T>(value: T): GuardedValue<T> {
    return this.#guards ? guardValue(this.#guards.values, value) : { value, kinds: [] };
  }

  /** The same of a value that may be long: between its parts it rests. */
  async cleanLong<T>(
    given: T,
    rest: () => Promise<void>,
  ): Promise<GuardedValue<T> & { readonly isSecret: boolean }> {
    const clean = await this.#secrets.cleanLong(given, rest);
    const isSecret = clean !== given;
    return this.#guards
      ? { ...(await guardLong(this.#guards, clean, rest)), isSecret }
      : { value: clean, kinds: [], isSecret };
  }
}

async function guardLong<T>(
  { values }: RunGuards,
  given: T,
  rest: () => Promise<void>,
): Promise<GuardedValue<T>> {
  const kinds = new Set<Kind>();
  const value = await cleanLong(noting(values, kinds), given, rest);
  return { value, kinds: value === given ? [] : [...kinds] };
}

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
function inputGuardIn(definition: Json | undefined): Guard | undefined {
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

const messages = {
  arguments: ({ title }: Step) =>
    `The arguments held a secret; «${title}» runs with «${redacted}» in its place.`,
  result: ({ title }: Step) => `What «${title}» gave held a secret; «${redacted}» stands in its place.`,
};

/** Whoever wonders where «[redacted]» comes from can read it at the step. */
export function tellRedacted(execution: Execution, step: Step, what: keyof typeof messages): void {
  const message = messages[what](step);
  if (step.notices.some((told) => told.code === redactedCode && told.message === message)) return;
  execution.emit({ type: 'notice.posted', step: step.id, code: redactedCode, message });
}

interface Cleaned extends GuardedValue<Json> {
  readonly isSecret: boolean;
}

/** What a step gave, as it may be recorded. */
export function cleanResult(execution: Execution, step: Step, given: Json): Json | Promise<Json> {
  const { guarding, writer, world } = execution;
  const tell = ({ value, kinds, isSecret }: Cleaned): Json => {
    if (isSecret) tellRedacted(execution, step, 'result');
    for (const kind of kinds) writer.tellFound(step.id, kind);
    return value;
  };
  // Waited for only where there is much to look at: otherwise branches keep their order.
  if (isLarge(given)) return guarding.cleanLong(given, world.clock.breather()).then(tell);
  const clean = world.secrets.cleanAll(given);
  return tell({ ...guarding.guarded(clean), isSecret: clean !== given });
}

/** What somebody says to an app, and what was said before. */
interface Said {
  readonly text: string;
  readonly history?: readonly SentMessage[] | undefined;
}

/** The same as guards of the app let it pass, with what hangs on earlier messages. It may be long: between its parts it rests. */
export async function guardedSaid(
  definition: Json | undefined,
  said: Said,
  rest: () => Promise<void>,
): Promise<Said> {
  const guard = inputGuardIn(definition);
  if (!guard) return said;
  const clean = async (text: string): Promise<string> => (await applyToLong(guard, text, rest)).text;
  const history: SentMessage[] = [];
  for (const { attachments, ...message } of said.history ?? []) {
    const hanging =
      attachments && (await Promise.all(attachments.map((one) => guardedAttachment(one, clean))));
    history.push({ ...message, text: await clean(message.text), ...present({ attachments: hanging }) });
  }
  return { text: await clean(said.text), ...present({ history: said.history && history }) };
}

/** The notice of a step from which a secret was taken. */
export const redactedCode = 'SECRET_REDACTED';
