import { type Step, type RunTree, present, filled } from '../../run/tree.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json, readAs } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import type { Blobs } from '../../stores/store.ts';
import { type EventOf, SentMessage, type StepId } from '../../run/events.ts';
import { z } from 'zod';
import type { RunInput } from '../scope.ts';
import type { AgentEvent, Message } from '../../gateways/gateway.ts';
import { cleanLong } from '../../guards/clean-value.ts';
import { guardValue, noting, type GuardedValue } from '../../guards/guard-value.ts';
import { type Kind, type Guard, redacted } from '../../guards/guard.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { AppGuards } from '../../guards/guard-settings.ts';
import { RunError } from '../../run/failure.ts';
import { guardOf } from '../../guards/guard-of.ts';
import { agreedTo } from '../../guards/apply-guard.ts';
import { joined } from '../../guards/guard-joined.ts';
import { saysAnswer } from '../../run/answer-text.ts';
/** Above this many characters of JSON a value is kept beside the journal, and the entry carries a reference. */
const inlineLimit = 32_768;
/** The same of an answer, which every protocol ends with: what stands beside the journal they could only refer to. */
export const answerLimit = 131_072;
const previewLength = 1_200;

/** Whether an entry cannot carry a value itself. */
export function isLarge(value: Json, limit = inlineLimit): boolean {
  // What only looks like a reference must never be read as one: it could name what another run has kept.
  return isBlobRef(value) || JSON.stringify(value).length > limit;
}

/** The value as an entry carries it. */
export async function keepLarge(run: Execution, given: Json, limit?: number): Promise<BlobRef | Json> {
  const clean = isLarge(given) ? await cleanLarge(run, given) : run.guarding.cleanAll(given);
  return keepClean(run, clean, limit);
}

/** A large value as it may be recorded: others are served while it is looked at. */
export async function cleanLarge<T>(execution: Pick<Execution, 'world' | 'guarding'>, value: T): Promise<T> {
  return (await execution.guarding.cleanLong(value, execution.world.clock.breather())).value;
}

/** The same of a value that is clean. */
export async function keepClean(execution: Execution, value: Json, limit?: number): Promise<BlobRef | Json> {
  if (!isLarge(value, limit)) return value;
  const text = JSON.stringify(value);
  const owner = { tenant: execution.tree.started?.tenant ?? '', run: execution.run };
  const kept = await execution.insist(() => execution.world.store.blobs.put(owner, text));
  return { ...kept, preview: previewOf(text) };
}

/** An attachment as an entry carries it. */
export async function keepAttachment(execution: Execution, attachment: Attachment): Promise<Attachment> {
  const { data, ...rest } = attachment;
  if (data === undefined || !isLarge(data)) return attachment;
  const kept = await keepLarge(execution, data);
  return isBlobRef(kept) ? { ...rest, blob: kept } : attachment;
}

export function previewOf(text: string): string {
  return text.slice(0, previewLength);
}

/** A recorded value, wherever it is kept, as a copy of its own: a flow may change what it gets. */
export async function loadLarge(execution: Execution, value: BlobRef | Json | undefined): Promise<Json> {
  if (value === undefined) return null;
  if (!isBlobRef(value)) return plain(value);
  const tenant = execution.tree.started?.tenant ?? '';
  const text = await execution.insist(() => execution.world.store.blobs.get(tenant, value.blob));
  if (text !== undefined) return JSON.parse(text) as Json;
  const message = `What this run recorded as blob ${value.blob} is not in the store; bring it back and resume.`;
  return execution.setAside('RESULT_MISSING', message);
}

export function resultOf(execution: Execution, step: Step): Promise<Json> {
  return loadLarge(execution, step.result);
}

/** A value as a recovery will see it. What JSON cannot hold must not be there the first time either. */
export function plain(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as Json);
}

type Owner = Parameters<Blobs['put']>[0];
type Input = EventOf<'run.started'>['input'];

/** What a person sent, with all that is large kept beside the journal. */
export async function keepLargeInput(
  blobs: Blobs,
  owner: Owner,
  { text, attachments, data: given }: Input & { readonly text: string },
): Promise<Input> {
  const kept = isLarge(text) ? await keep(blobs, owner, text) : text;
  const data = given !== undefined && isLarge(given) ? await keep(blobs, owner, given) : given;
  if (!attachments) return { text: kept, ...present({ data }) };
  return {
    text: kept,
    attachments: await Promise.all(attachments.map((one) => keepData(blobs, owner, one))),
    ...present({ data }),
  };
}

/** A conversation that a client sent, with all that is large kept beside the journal. */
export async function keepLargeHistory(
  blobs: Blobs,
  owner: Owner,
  messages: readonly SentMessage[],
): Promise<NonNullable<EventOf<'run.started'>['history']>> {
  const kept: SentMessage[] = [];
  for (const { attachments, ...message } of messages) {
    const hanging = await Promise.all((attachments ?? []).map((one) => keepData(blobs, owner, one)));
    kept.push({ ...message, ...present({ attachments: filled(hanging) }) });
  }
  const text = JSON.stringify(kept);
  if (!isLarge(kept as unknown as Json)) return kept;
  const said = messages.map((message) => message.text).join('\n');
  return { ...(await blobs.put(owner, text)), preview: previewOf(said) };
}

/** The same again. */
export async function loadHistory(
  execution: Execution,
  kept: NonNullable<EventOf<'run.started'>['history']>,
): Promise<readonly SentMessage[]> {
  return z.array(SentMessage).parse(await loadLarge(execution, kept as unknown as Json));
}

/** The same again, as it was sent. */
export async function loadInput(
  execution: Execution,
  { text, attachments = [], data }: Input,
): Promise<Pick<RunInput, 'text' | 'attachments' | 'data'>> {
  return {
    text: await textOf(execution, text),
    attachments: await Promise.all(attachments.map((one) => loadData(execution, one))),
    ...present({ data: data === undefined ? undefined : await loadLarge(execution, data) }),
  };
}

/** An attachment as it is kept: what is large stands beside it. */
export async function keepData(
  blobs: Blobs,
  owner: Owner,
  { data, ...rest }: Attachment,
): Promise<Attachment> {
  if (data === undefined) return rest;
  return isLarge(data) ? { ...rest, blob: await keep(blobs, owner, data) } : { ...rest, data };
}

async function loadData(execution: Execution, { blob, ...rest }: Attachment): Promise<Attachment> {
  return blob === undefined ? rest : { ...rest, data: await textOf(execution, blob) };
}

async function keep(blobs: Blobs, owner: Owner, value: Json): Promise<BlobRef> {
  const text = JSON.stringify(value);
  const preview = previewOf(typeof value === 'string' ? value : text);
  return { ...(await blobs.put(owner, text)), preview };
}

async function textOf(execution: Execution, value: string | BlobRef): Promise<string> {
  const text = await loadLarge(execution, value);
  return typeof text === 'string' ? text : JSON.stringify(text);
}

type Attaching = Extract<AgentEvent, { type: 'item.attached' | 'stage.attached' }>;

/** Whether one of these events attaches what an entry cannot carry itself. */
export function hasLargeItem(events: readonly AgentEvent[]): boolean {
  return events.some((event) => isAttaching(event) && isLarge(attachmentOf(event)?.data ?? ''));
}

/** The same events, with references in place of what is large. */
export function withKeptItems(
  execution: Execution,
  events: readonly AgentEvent[],
): Promise<readonly AgentEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      const attachment = isAttaching(event) ? attachmentOf(event) : undefined;
      if (!isAttaching(event) || !attachment) return event;
      return {
        ...event,
        item: { kind: 'attachment', attachment: await keepAttachment(execution, attachment) },
      };
    }),
  );
}

function isAttaching(event: AgentEvent): event is Attaching {
  return event.type === 'item.attached' || event.type === 'stage.attached';
}

function attachmentOf({ item }: Attaching): Attachment | undefined {
  return item.kind === 'attachment' ? item.attachment : undefined;
}

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

export function guardsIn(definition: Json | undefined): Made | undefined {
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

/** The notice of a step from which a secret was taken. */
export const redactedCode = 'SECRET_REDACTED';
