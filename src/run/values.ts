import { z } from 'zod';
import { plainWords, anyForm } from './plain-words.ts';
import { RunError } from './failure.ts';
import type { RunEvent, EventOf } from './events.ts';

/** What may be recorded: JSON, and nothing a crash would turn into something else. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export const Json: z.ZodType<Json> = z.json();

/** Tokens of one model turn; `estimated` where the model did not say. */
export const Usage = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cached: z.number().nonnegative().optional(),
  reasoning: z.number().nonnegative().optional(),
  estimated: z.boolean().optional(),
  /** What they cost by the prices of then, where prices of the model are configured. */
  cost: z.number().nonnegative().optional(),
  /** Whose tokens these are, where an agent elsewhere asked several models. */
  models: z
    .array(z.object({ model: z.string(), input: z.number().nonnegative(), output: z.number().nonnegative() }))
    .optional(),
});
export type Usage = z.infer<typeof Usage>;

const price = z.number().nonnegative();

/** What a million tokens of a model cost, in whatever money they are written in. What is read again costs `cached` where that is said. */
export const Prices = z.strictObject({ input: price, output: price, cached: price.optional() });
export type Prices = z.infer<typeof Prices>;

/** Something large that is kept once, beside the journal. The hash is the SHA-256 of its UTF-8 bytes. */
export const BlobRef = z.object({ blob: z.string(), size: z.number(), preview: z.string().optional() });
export type BlobRef = z.infer<typeof BlobRef>;

/** How what is kept beside the journal begins, as people read it: of a text its JSON is kept, cut anywhere. */
export function beginningOf({ preview = '' }: BlobRef): string {
  if (!preview.startsWith('"')) return preview;
  const uncut = preview.replace(/(?<!\\)((?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i, '$1');
  try {
    return String(JSON.parse(`${uncut}"`));
  } catch {
    return preview;
  }
}

/** A file or a piece of text that came with a message or a step. One of `data`, `url` and `blob` says where it is. */
export const Attachment = z.object({
  type: z.string(),
  title: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
  blob: BlobRef.optional(),
  referenceUrl: z.string().optional(),
  referenceType: z.string().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** What hangs on a step beside its text. */
export const Item = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('attachment'), attachment: Attachment }),
  z.object({
    kind: z.literal('visualization'),
    shape: z.enum(['graph', 'table', 'documents', 'chart']),
    data: Json,
  }),
  z.object({
    kind: z.literal('citation'),
    title: z.string(),
    url: z.string().optional(),
    quote: z.string().optional(),
  }),
  z.object({ kind: z.literal('action'), name: z.string(), data: Json }),
]);
export type Item = z.infer<typeof Item>;

/** Whether doing a thing again is harmless: always, with the same key, or never. */
export const Effect = z.enum(['pure', 'idempotent', 'once']);
export type Effect = z.infer<typeof Effect>;

/** What a whole tree of steps may use up. Absent means the app's own limit. */
export const Limits = z.object({
  turns: z.int().positive().optional(),
  calls: z.int().nonnegative().optional(),
  tokens: z.int().positive().optional(),
  depth: z.int().positive().optional(),
  seconds: z.number().positive().optional(),
  /** Of the journal. */
  entries: z.int().positive().optional(),
  /** Of the journal and of what is kept beside it. */
  bytes: z.int().positive().optional(),
});
export type Limits = z.infer<typeof Limits>;

export function isBlobRef(value: unknown): value is BlobRef {
  return typeof value === 'object' && value !== null && 'blob' in value && 'size' in value;
}

/** A place in what was given, and what is wrong there, in plain words. */
export interface Wrong {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What was given, as a schema reads it, or what is wrong with it: at least one thing. */
type Reading<T> =
  | { readonly fits: true; readonly value: T }
  | { readonly fits: false; readonly wrong: readonly [Wrong, ...Wrong[]] };

export function readAs<T>(schema: z.ZodType<T>, given: unknown): Reading<T> {
  const result = schema.safeParse(given, plainWords);
  if (result.success) return { fits: true, value: result.data };
  const [first, ...others] = result.error.issues.map(wrongOf);
  return { fits: false, wrong: [first ?? { path: [], message: anyForm }, ...others] };
}

/** What came from outside, if it has the form it must have; else a failure that names the fields that are wrong. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = readAs(schema, value);
  if (read.fits) return read.value;
  const wrong = read.wrong.slice(0, 3).map(({ path, message }) => {
    const place = path.join('.').slice(0, 100);
    return `${place === '' ? '' : `${place}: `}${message.slice(0, 200)}`;
  });
  throw new RunError('malformed', `${what} does not fit: ${wrong.join('; ')}.`);
}

/** A place in a configuration or in settings, as people write it: `apps.noc.settings.agents[0]`. */
export function placeIn(path: Wrong['path']): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

function wrongOf(found: z.core.$ZodIssue): Wrong {
  const { path, message } = innermost(found);
  return { path: path.map((part) => (typeof part === 'number' ? part : String(part))), message };
}

/** Of what may have several forms, what is wrong with the one that it comes nearest to; unless its schema has words for all. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== anyForm) return issue;
  const inner = issue.errors.flatMap(([first]) => (first ? [innermost(first)] : []));
  const nearest = inner.toSorted((one, other) => other.path.length - one.path.length).at(0);
  if (!nearest || nearest.path.length === 0) return issue;
  return { ...nearest, path: [...issue.path, ...nearest.path] };
}

/**
 * What an entry says is kept beside the journal. It is looked for where the engine puts references and nowhere else: what
 * only looks like one is somebody's own, and could name what another run has kept.
 */
export function referencesIn(event: RunEvent): readonly BlobRef[] {
  switch (event.type) {
    case 'run.started':
      return begunWith(event);
    case 'run.ended':
      return marked(event.answer);
    case 'step.opened':
      return marked(event.call?.arguments, ...attached(event.attachments));
    case 'step.started':
    case 'step.retried':
      return marked(event.call?.arguments);
    case 'prompt.recorded':
      return marked(event.blob);
    case 'item.attached':
      return event.item.kind === 'attachment' ? marked(event.item.attachment.blob) : [];
    case 'step.closed':
      return marked(event.result);
    case 'approval.requested': {
      const { exchange, attachments } = event;
      return marked(
        event.arguments,
        exchange?.asked,
        exchange?.answered,
        event.history,
        ...attached(attachments),
        ...saidIn(event),
      );
    }
    case 'approval.decided':
      return marked(event.arguments);
    case 'state.saved':
      return marked(event.state);
    case 'message.queued':
      return marked(...attached(event.attachments));
    case 'run.paused':
    case 'run.resumed':
    case 'worker.took':
    case 'stop.requested':
    case 'phase.entered':
    case 'step.planned':
    case 'title.appended':
    case 'text.appended':
    case 'notice.posted':
    case 'approval.lapsed':
    case 'approval.returned':
    case 'message.taken':
    case 'unknown':
      return [];
  }
}

function begunWith(event: EventOf<'run.started'>): BlobRef[] {
  const { text, data, attachments } = event.input;
  return marked(text, data, event.guarded, event.history, ...attached(attachments), ...saidIn(event));
}

function marked(...values: readonly unknown[]): BlobRef[] {
  return values.filter(isBlobRef);
}

function attached(attachments: readonly Attachment[] = []): (BlobRef | undefined)[] {
  return attachments.map(({ blob }) => blob);
}

/** Where what was said before stands in the entry itself, what hung on it. */
function saidIn({
  history,
}: {
  readonly history?: BlobRef | readonly { readonly attachments?: readonly Attachment[] }[];
}): (BlobRef | undefined)[] {
  return history === undefined || isBlobRef(history)
    ? []
    : history.flatMap((one) => attached(one.attachments));
}

/** Runs of workflows are of apps that are called so. */
const prefix = 'workflow:';

export function appOfWorkflow(name: string): string {
  return `${prefix}${name}`;
}

/** The name of the workflow whose runs an app is; undefined for every other app. */
export function workflowOfApp(app: string): string | undefined {
  return app.startsWith(prefix) ? app.slice(prefix.length) : undefined;
}

interface FlowName {
  readonly name: string;
  readonly version: string;
}

/** What a run needs to go on: a worker claims only flows it has. */
export function flowId({ name, version }: FlowName): string {
  return `${name}@${version}`;
}

/** A flow that is known here. */
export function flowNamed<T extends FlowName>(flows: readonly T[], { name, version }: FlowName): T {
  const flow = flows.find((known) => known.name === name && known.version === version);
  if (flow) return flow;
  const known = flows.map(flowId).join(', ') || 'none';
  throw new RunError('unknown', `There is no flow ${flowId({ name, version })} here; known: ${known}.`);
}
