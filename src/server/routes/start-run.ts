import { keptName } from '../../engine/record/kept-name.ts';
import { sameAgain, startKey } from '../../front/same-again.ts';
import type { RunRequest } from '../../front/front.ts';
import type { SentMessage } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { defaultLimits, filled } from '../../run/tree.ts';
import type { Attachment, Json, Limits } from '../../run/values.ts';
import * as native from '../../wire/native/starting.ts';
import type { Input, StartRun } from '../../wire/native/starting.ts';
import type { Caller, Source } from '../access/honest.ts';
import { expectOwnSession } from '../applications/sessions.ts';
import { appFor } from '../apps/apps-for.ts';
import type { App } from '../folder/home.ts';
import { type ServerContext } from '../context.ts';
import { missing, expectOpen } from '../runs/quotas.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import { sameAgainAs } from '../runs/again.ts';
import { sameRun, startedWith } from '../runs/same-start.ts';
import { type Asked, nativeProtocol } from '../viewers/channels.ts';
import { route, type Reply, watchRun, type Watched, idempotencyKeyIn } from './route.ts';
import { isHiddenConversation } from '../apps/hidden-apps.ts';
import type { GivenAttachment } from '../../wire/native/attachment.ts';
import type { Use } from '../runs/kept-files.ts';
import { ownFile } from '../runs/own-file.ts';
import { sha256 } from '../../loop/machine.ts';
export const startRoutes = [
  route({
    ...native.startRun,
    handle: (asked) => beginning(asked, () => wantedOf(asked.context, asked.caller, asked.body)),
  }),
];

/** Somebody who wants a run begun. */
interface Beginning {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly source: Source;
  readonly query: Streamed['query'];
  readonly header: (name: string) => string | undefined;
}

/** Begin a run, and answer with where it is, or with its stream. */
export async function beginning(
  { context, caller, source, query, header }: Beginning,
  wanted: () => Promise<Start>,
): Promise<Reply> {
  const key = idempotencyKeyIn(header);
  const start = async (): Promise<Begun> => startRun(context, caller, { ...(await wanted()), key });
  if (wantsStream(header)) return startedStream(context, caller, { query, source, start });
  const { run, conversation } = await start();
  const location = placeOf(source, run);
  return {
    status: 201,
    json: { run, conversation, events: `${location}/events` },
    headers: { location },
  };
}

/** What is to be started, with what an earlier run says of it where that one is asked for again. */
async function wantedOf(context: ServerContext, caller: Caller, body: StartRun): Promise<Start> {
  const { conversation: given, again, input, ...rest } = body;
  const named = given === undefined ? undefined : ownConversation(caller, given);
  if (again !== undefined) {
    const { attached, ...same } = await sameAgainAs(context, caller, { again, named });
    return input ? { ...same, ...rest, input } : { ...same, ...rest, attached };
  }
  if (!input) {
    const message =
      'The body does not fit: give «input» (`text` in the client), or «again» with the run that shall be answered anew.';
    throw new RunError('malformed', message);
  }
  return { input, ...rest, conversation: named?.id, begins: named?.mayBegin };
}

/** Where a run is, for whoever asked. */
export function placeOf({ prefix }: Source, run: string): string {
  return `${prefix}/api/runs/${run}`;
}

function wantsStream(header: (name: string) => string | undefined): boolean {
  return /(^|,)\s*text\/event-stream\s*($|[,;])/.test(header('accept') ?? '');
}

interface Streamed {
  readonly query: { readonly as?: string | undefined } & Asked;
  readonly source: Source;
  readonly start: () => Promise<Begun>;
}

/** A run, and its stream in one answer. What could be refused is, before anything has begun. */
async function startedStream(
  context: ServerContext,
  caller: Caller,
  { query, source, start }: Streamed,
): Promise<Reply> {
  context.protocols.telling(query.as ?? nativeProtocol, { run: '' });
  const giveBack = context.quotas.stream(caller.tenant);
  try {
    const { run, standing } = await start();
    const row = standing ?? (await context.home.dispatch.get(run));
    if (!row) throw missing('run', run);
    const reply = watchRun({ context, caller }, row, query);
    return { ...reply, giveBack, headers: { ...reply.headers, location: placeOf(source, run) } };
  } catch (thrown) {
    giveBack();
    throw thrown;
  }
}

interface Begun {
  readonly run: string;
  readonly conversation: string;
  /** How it stands, if it has only just begun: nobody need be asked. */
  readonly standing?: Watched;
}

export interface Start extends Pick<StartRun, 'conversation' | 'limits' | 'labels'> {
  /** By its name, where it is not known. */
  readonly app?: string | App;
  readonly input: Input & { readonly data?: Json };
  /** What is attached and was kept before. */
  readonly attached?: readonly Attachment[];
  /** The run whose place it takes. */
  readonly replaces?: string;
  /** The run it goes on after. */
  readonly follows?: string;
  readonly key?: string;
  /** Whether the conversation may begin with it. */
  readonly begins?: boolean;
  /** The due time that starts it, by a name of its own: whoever asks for it, it is one run. */
  readonly due?: string;
  /** The conversation as the caller has it, and what of it is not used. */
  readonly sent?: SentConversation | undefined;
}

interface SentConversation {
  readonly history: readonly SentMessage[] | undefined;
  readonly notices: NonNullable<RunRequest['notices']>;
}

/** Start a run for somebody, within what they may have. The same key again, for the same request, gives the same run. */
export async function startRun(context: ServerContext, caller: Caller, start: Start): Promise<Begun> {
  const begun = await startedRun(context, caller, start);
  const { attachments } = start.input;
  await usesFiles(context, caller, { conversation: begun.conversation, attachments });
  return begun;
}

async function startedRun(
  context: ServerContext,
  caller: Caller,
  { app: name, input, attached, limits = none, key, due, begins = false, sent, ...request }: Start,
): Promise<Begun> {
  expectOpen(context);
  const { tenant, who } = caller;
  const app = typeof name === 'object' ? name : await appFor(context, caller, name ?? defaultAppOf(context));
  const attachments = [...(attached ?? (await attachmentsOf(context, caller, input.attachments)))];
  const wanted = {
    app: app.name,
    input: { text: input.text, attachments: filled(attachments), data: input.data },
    limits: lowered(app, limits),
    ...request,
    conversation:
      request.conversation === undefined ? undefined : keptConversation(context, request.conversation),
  };
  // Before anything is counted: whoever asks again because no answer came has used no more of their share.
  const earlier = key === undefined ? undefined : await startedWith(context, caller, key);
  if (earlier) return sameRun(context, earlier.run, { ...wanted, history: sent?.history });
  if (wanted.conversation !== undefined && !begins)
    await expectConversation(context, caller, wanted.conversation);
  const own = key === undefined ? undefined : startKey(who, key);
  const idempotencyKey = due === undefined ? own : sameAgain('due', due);
  const start = async (): ReturnType<ServerContext['home']['front']['start']> =>
    context.home.front.start({
      ...wanted,
      ...sent,
      definition: await app.definition?.(),
      approvals: app.approvals,
      flow: app.flow,
      caller: { tenant, who, idempotencyKey },
    });
  const bytes = sizeOf(wanted.input) + sizeOfHistory(sent);
  const { run, conversation, head } = await withinMeans(context, { tenant, bytes }, start);
  if (head !== undefined)
    return { run, conversation, standing: { run, app: app.name, head, state: 'running', damaged: null } };
  return due === undefined
    ? sameRun(context, run, { ...wanted, history: sent?.history })
    : { run, conversation };
}

function sizeOfHistory({ history = [] }: Partial<SentConversation> = {}): number {
  return history.reduce((bytes, { text, attachments = [] }) => bytes + sizeOf({ text, attachments }), 0);
}

function defaultAppOf({ defaultApp, home }: ServerContext): string {
  if (defaultApp !== undefined) return defaultApp;
  const known = home.apps.map((app) => app.name).join(', ');
  throw new RunError('malformed', `Say which app: «app» is one of ${known}.`);
}

/** The name of a conversation as it is kept: one with a secret in it is kept as a hash. */
export function keptConversation({ home: { secrets } }: ServerContext, name: string): string {
  return keptName({ secrets, hash: sha256 }, name, 'conversation_');
}

async function expectConversation(
  context: ServerContext,
  caller: Caller,
  conversation: string,
): Promise<void> {
  const { tenant } = caller;
  const [known] = await context.home.dispatch.list({ tenant, conversation, limit: 1 });
  if (!known || (await isHiddenConversation(context, caller, conversation)))
    throw missing('conversation', conversation);
  await expectOwnSession({ context, caller }, known);
}

/** Runs that are being started, by tenant: those that start together must not all find the last place free. */
const starting = new WeakMap<ServerContext, Map<string, number>>();

/**
 * Begin a run, if it would be kept, and if its tenant may have one more, of this size: one that begins more than it ends would
 * in time leave no room for the others.
 */
export async function withinMeans<T>(
  context: ServerContext,
  { tenant, bytes }: { readonly tenant: string; readonly bytes: number },
  start: () => Promise<T>,
): Promise<T> {
  const { quotas, readiness, home } = context;
  const counts = starting.get(context) ?? new Map<string, number>();
  starting.set(context, counts);
  const before = counts.get(tenant) ?? 0;
  counts.set(tenant, before + 1);
  try {
    const { runs, waiting: most } = quotas;
    const { dispatch, blobs } = home.store;
    // Asked at once: each by itself would wake the store's thread, and wait for it.
    const asked = Promise.all([dispatch.unfinished(tenant), blobs.held(tenant), readiness.expect()]);
    const [{ working, waiting }, held] = await asked;
    if (working + before < runs && waiting < most) {
      const done = quotas.upload(tenant, { held, more: bytes });
      return await start().finally(done);
    }
    const full = waiting < most ? `${runs} runs have not ended` : `${most} runs wait for something`;
    const message = `This is more than your share: ${full}; stop some, or wait.`;
    throw new RunError('over-budget', message, { retryable: true });
  } finally {
    const left = (counts.get(tenant) ?? 1) - 1;
    if (left > 0) counts.set(tenant, left);
    else counts.delete(tenant);
  }
}

const none: Limits = {};

/** Whoever asks may want less than the app allows, and gets no more. */
function lowered({ limits: allowed }: App, wanted: Limits): Limits {
  if (wanted === none) return allowed;
  const names = ['turns', 'calls', 'tokens', 'depth', 'seconds', 'entries', 'bytes'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const most = allowed[name] ?? defaultLimits[name];
      const chosen = Math.min(most, wanted[name] ?? most);
      return allowed[name] === undefined && wanted[name] === undefined ? [] : [[name, chosen]];
    }),
  );
}

/** Of all that comes with one message. Naming a file is short, and it may be named again and again. */
const most = 32 * 1024 * 1024;

export async function attachmentsOf(
  context: ServerContext,
  caller: Caller,
  given: readonly GivenAttachment[] = [],
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const one of given) {
    attachments.push(await attachmentOf(context, caller, one));
    if (sizeOf({ attachments }) > most)
      throw new RunError('too-large', `What is attached has more than ${most} bytes: attach less at once.`);
  }
  return attachments;
}

interface Attached extends Pick<Use, 'conversation'> {
  readonly attachments?: readonly GivenAttachment[] | undefined;
}

/** The files that come with a message are its conversation's, too. */
export async function usesFiles(
  context: ServerContext,
  caller: Caller,
  { attachments = [], conversation }: Attached,
): Promise<void> {
  const { tenant, who: by } = caller;
  const use = { tenant, by, conversation, at: context.now() };
  for (const file of new Set(attachments.flatMap((attachment) => attachment.file ?? [])))
    // What runs keep can be attached, too, and makes nobody one who has the file of that name.
    if ((await ownFile({ context, caller }, file))?.isSent) await context.home.uploads.files.use(use, file);
}

/** About how many bytes it takes to keep this. */
export function sizeOf({
  text = '',
  attachments = [],
}: {
  readonly text?: string;
  readonly attachments?: readonly Attachment[];
}): number {
  return attachments.reduce((bytes, { data = '' }) => bytes + data.length, Buffer.byteLength(text));
}

async function attachmentOf(
  context: ServerContext,
  caller: Caller,
  { file, type, ...rest }: GivenAttachment,
): Promise<Attachment> {
  if (file === undefined) return { type: type ?? 'text/plain', ...rest };
  const found = await ownFile({ context, caller }, file);
  if (!found) throw missing('file', file);
  const isText = found.type.startsWith('text/') || found.type === 'application/json';
  const data = found.bytes.toString(isText ? 'utf8' : 'base64');
  return { type: type ?? found.type, title: found.name, ...rest, data };
}
