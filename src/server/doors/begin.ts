import { createHash } from 'node:crypto';
import type { SentMessage as Sent, StartWish } from '../../projections/door.ts';
import type { SentMessage } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { GivenAttachment } from '../../wire/native/attachment.ts';
import { Labels } from '../../wire/native/starting.ts';
import { appFor } from '../apps/apps-for.ts';
import type { ServerContext } from '../context.ts';
import type { App } from '../folder/home.ts';
import { parsed } from '../../run/values.ts';
import { startRun, type Start, attachmentsOf } from '../routes/start-run.ts';
import { idempotencyKeyIn } from '../routes/route.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import { startedWith } from '../runs/same-start.ts';
import { expectBegin, givenAnswer } from './answer.ts';
import { conversationOf } from './conversation.ts';
import type { Visitor } from './door-routes.ts';
import { namedRuns, type NamedRuns } from './named-runs.ts';
import { filled, present } from '../../run/tree.ts';

/** How long the same request may be one that a client library sends again. Milliseconds. */
const retries = 60_000;

/** Requests without a key of their own whose runs are being begun, by what they ask. */
const beginning = new WeakMap<ServerContext, Map<string, Promise<string>>>();

/** Begin what a request of a protocol asks for; the same again is the run it began. */
export async function begin(visitor: Visitor, wish: StartWish): Promise<string> {
  const { context, request } = visitor;
  const key = idempotencyKeyIn(request.header);
  if (key !== undefined) return begun(visitor, wish, { key });
  const asked = askedBy(visitor);
  const others = beginning.get(context) ?? new Map<string, Promise<string>>();
  beginning.set(context, others);
  const same = others.get(asked);
  if (wish.isRetry === true) {
    // What is only being begun is not found yet: it would be begun twice.
    await Promise.allSettled([same]);
    return begun(visitor, wish, await earlier(visitor, asked));
  }
  if (same) return begun(visitor, wish, {});
  const first = anew(visitor, asked).then((again) => begun(visitor, wish, again));
  others.set(asked, first);
  return first.finally(() => others.delete(asked));
}

async function begun(visitor: Visitor, wish: StartWish, again: Again): Promise<string> {
  const { context, caller } = visitor;
  const { app: name, message, labels } = wish;
  const app = await appFor(context, caller, name === '' ? (context.defaultApp ?? name) : name);
  const input = inputOf(message);
  if (again.run !== undefined) return again.run;
  const start: Start = {
    app: app.name,
    input,
    sent: await sentBy(visitor, app, wish),
    ...(await placed(visitor, wish)),
    ...present({ key: again.key, labels: labels && parsed(Labels, { ...labels }, 'The metadata') }),
  };
  return (await startRun(context, caller, start)).run;
}

/** As many as the native API takes. */
const mostAttachments = 50;

function expectFew(attachments: readonly unknown[]): void {
  if (attachments.length > mostAttachments)
    throw new RunError(
      'malformed',
      `A message has ${attachments.length} attachments: send at most ${mostAttachments} with one.`,
    );
}

function inputOf({ text, attachments = [] }: Sent): Start['input'] {
  expectFew(attachments);
  if (text === '' && attachments.length === 0)
    throw new RunError('malformed', 'The last message has neither text nor attachments: say something.');
  return { text, ...present({ attachments: filled(attachments.map(given)) }) };
}

function given(attachment: NonNullable<Sent['attachments']>[number]): GivenAttachment {
  return parsed(GivenAttachment, present(attachment), 'An attachment');
}

async function placed(
  visitor: Visitor,
  { conversation, follows }: StartWish,
): Promise<Pick<Start, 'conversation' | 'begins' | 'follows'>> {
  if (follows === undefined) {
    if (conversation === undefined) return {};
    const { id, mayBegin } = await conversationOf(visitor, conversation);
    return { conversation: id, begins: mayBegin };
  }
  const row = await ownRun(visitor, follows.run);
  if (!row) throw missing('run', follows.run);
  await expectBegin(visitor, row, follows.begin);
  return { conversation: row.conversation, begins: true, follows: row.run };
}

/** The conversation as the client sent it, with what of it may be believed. */
async function sentBy(
  visitor: Visitor,
  app: App,
  { history, ignored: unread = [] }: StartWish,
): Promise<NonNullable<Start['sent']>> {
  const ignored = new Set<string>();
  const messages: SentMessage[] = [];
  const named = namedRuns(history ?? [], {
    row: (run) => ownRun(visitor, run),
    answer: async ({ run, begin: from }) => {
      const row = await ownRun(visitor, run);
      return row && givenAnswer(visitor, row, from);
    },
  });
  for (const sent of history ?? []) {
    const message = await withWords(named, sent, ignored);
    if (message) messages.push(await believed(visitor, app, { message, named, ignored }));
  }
  const notices = few([...ignored]).map((text) => ({ code: 'CLIENT_STATE_IGNORED', message: text }));
  const left = few(unread).map((text) => ({ code: 'REQUEST_FIELD_IGNORED', message: text }));
  return { history: history && messages, notices: [...notices, ...left] };
}

/** So many say what is wrong with all. */
const mostNotices = 50;

function few(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - mostNotices;
  return more <= 0 ? sentences : [...sentences.slice(0, mostNotices), `There are ${more} more like these.`];
}

/** A message that is only named, with its words; undefined where those are nowhere here. */
async function withWords(named: NamedRuns, message: Sent, ignored: Set<string>): Promise<Sent | undefined> {
  if (!message.named) return message;
  const { answer, in: wordsIn } = message.named;
  const { run } = answer;
  const row = await named.row(run);
  if (!row)
    ignored.add(
      `The conversation names an answer of run «${run.slice(0, 100)}», which is not known here: left out.`,
    );
  const text = row && wordsIn(await named.answer(answer));
  return text === undefined ? undefined : { ...message, text };
}

interface Believing {
  readonly message: Sent;
  readonly named: NamedRuns;
  /** What is not used, in sentences. */
  readonly ignored: Set<string>;
}

/** What this server gave this tenant is looked up here; what it did not give counts only where the app trusts it. */
async function believed(
  visitor: Visitor,
  app: App,
  { message, named, ignored }: Believing,
): Promise<SentMessage> {
  const { context, caller } = visitor;
  const { role, text, attachments = [], run, state } = message;
  expectFew(attachments);
  const hanging = await attachmentsOf(context, caller, attachments.map(given));
  const isOurs = run !== undefined && (await named.row(run)) !== undefined;
  if (run !== undefined && !isOurs && state === undefined)
    ignored.add(`The conversation names run «${run.slice(0, 100)}», which is not known here: left out.`);
  const isTrusted = !isOurs && state !== undefined && app.trustsClientState === true;
  if (state !== undefined && !isOurs && !isTrusted)
    ignored.add(
      `The conversation brings states of agents that this server did not give: they are not used, since app «${app.name}» does not say «trustsClientState».`,
    );
  return {
    role,
    text,
    ...present({
      attachments: filled(hanging),
      run: isOurs ? run : undefined,
      state: isTrusted ? state : undefined,
    }),
  };
}

interface Again {
  readonly run?: string;
  /** What the run is to be found by, should this be sent again. */
  readonly key?: string;
}

function askedBy({ caller, door, request }: Visitor): string {
  const asked = [caller.tenant, caller.who, door.path, request.params, request.body];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** What runs of this minute are found by, or of one before it. */
function keyOf({ context }: Visitor, asked: string, before = 0): string {
  return `request-${asked}-${Math.floor(context.now() / retries) - before}`;
}

/** The same asked anew is another run; one of them can be found by what was asked. */
async function anew(visitor: Visitor, asked: string): Promise<Again> {
  const key = keyOf(visitor, asked);
  return (await startedWith(visitor.context, visitor.caller, key)) ? {} : { key };
}

/** Where a client library sends a request again, the run that the same one began a moment ago. */
async function earlier(visitor: Visitor, asked: string): Promise<Again> {
  const { context, caller } = visitor;
  const [key, before] = [keyOf(visitor, asked), keyOf(visitor, asked, 1)];
  const row = (await startedWith(context, caller, key)) ?? (await startedWith(context, caller, before));
  return row && context.now() - row.createdAt < retries ? { run: row.run } : { key };
}
