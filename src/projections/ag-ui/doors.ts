import { RunError } from '../../run/failure.ts';
import { parsed, type Json } from '../../run/values.ts';
import {
  AgUiInput,
  AgUiStop,
  protobufType,
  type AgUiMedia,
  type AgUiMessage,
  type AgUiPart,
  type AgUiResume,
} from '../../wire/ag-ui.ts';
import type { Framing } from '../../wire/framing.ts';
import type {
  DecideWish,
  Door,
  DoorRequest,
  SentAttachment,
  SentDecision,
  SentMessage,
  StartWish,
} from '../door.ts';
import { encoded, linked } from '../sent-attachment.ts';
import { unusedIn } from '../unused-fields.ts';
import { subagents } from './part.ts';
import { supersededLine } from '../../run/answer-text.ts';
import { present } from '../../run/tree.ts';

/** Attachments come within the messages. Bytes. */
const bodyLimit = 16 * 1024 * 1024;

/** Where an agent of AG-UI runs, joins a run again, and is stopped. */
export function agUiDoors(protobuf: Framing | undefined): readonly Door<Framing>[] {
  const wanted = (request: DoorRequest) => ({
    form: 'stream' as const,
    ...(protobuf && wantsProtobuf(request) ? { framing: protobuf } : {}),
    ...(request.query[subagents] === 'steps' ? { options: { [subagents]: 'steps' } } : {}),
  });
  return [
    {
      path: '/ag-ui/:app',
      about: 'Run an app as an agent of AG-UI, or answer what it asked (`resume`).',
      bodyLimit,
      read: (request) => ({ ...wishOf(request), ...wanted(request) }),
    },
    {
      path: '/ag-ui/:app/connect',
      about: 'Join the newest run of a thread again: as it stands, and what comes.',
      role: 'viewer',
      bodyLimit,
      read(request) {
        const { threadId, messages } = parsed(AgUiInput, request.body, 'The request');
        const of = { conversation: threadId };
        return { wants: 'follow', of, answer: 'prelude', had: messages, ...wanted(request) };
      },
    },
    {
      path: '/ag-ui/:app/stop',
      about: 'Stop the newest run of a thread: to leave a run does not.',
      read({ body }) {
        const { threadId } = parsed(AgUiStop, body, 'The request');
        return { wants: 'stop', of: { conversation: threadId }, form: 'none' };
      },
    },
  ];
}

/** The official client cannot say so in its headers. */
function wantsProtobuf({ query, header }: DoorRequest): boolean {
  return query['format'] === 'protobuf' || (header('accept') ?? '').includes(protobufType);
}

type Started = StartWish | DecideWish;

function wishOf({ params: { app = '' }, body }: DoorRequest): Started {
  const input = parsed(AgUiInput, body, 'The request');
  const { threadId, messages, resume = [], context = [], tools = [] } = input;
  const last = messages.findLast(({ role }) => role !== 'activity');
  if (resume.length > 0) {
    const beside = last?.role === 'user' ? words(last) : undefined;
    return { wants: 'decide', app, decisions: resume.map(decisionOf), field: 'resume', beside };
  }
  if (last?.role !== 'user')
    throw new RunError(
      'malformed',
      'The last of «messages» is not of the user: say something, or answer with «resume».',
    );
  const about = context.map(({ description, value }) => `${description}: ${textOf(value)}`).join('\n');
  const system: SentMessage[] = about === '' ? [] : [{ role: 'system', text: about }];
  const history = [...historyOf(messages.filter((message) => message !== last)), ...system];
  const unused =
    tools.length === 0 ? [] : ['The tools that the client offers are not used: those of the app are.'];
  const ignored = [...unused, ...unusedIn(withoutOurs(input), AgUiInput.shape), ...unreadIn(messages)];
  // The client names each run anew, so that the same request is one that was sent again.
  return {
    wants: 'start',
    app,
    message: sent(last),
    conversation: threadId,
    history,
    ignored,
    isRetry: true,
  };
}

/** The client gives back the state that it was told: that is no news, and what else is in it is nothing we know. */
function withoutOurs({ state, ...input }: AgUiInput): Readonly<Record<string, unknown>> {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return { ...input, state };
  const foreign = Object.entries(state).filter(([name]) => !ownState.has(name));
  return { ...input, state: Object.fromEntries(foreign) };
}

const ownState: ReadonlySet<string> = new Set(['run', 'app', 'status']);

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A no is an answer, too; what was called off is not agreed to. */
function decisionOf({ interruptId: question, status, payload }: AgUiResume): SentDecision {
  if (status === 'cancelled') return { question, decision: 'reject', rationale: 'Called off.' };
  if (payload === undefined || payload === true) return { question, decision: 'approve' };
  if (payload === false) return { question, decision: 'reject' };
  const said = asked(payload);
  const { approved, decision, arguments: given, answer, rationale, reason } = said;
  const why = {
    rationale: typeof rationale === 'string' ? rationale : typeof reason === 'string' ? reason : undefined,
  };
  if (approved === false || decision === 'reject') return { question, decision: 'reject', ...why };
  // What fits the schema of a question is its answer; where there is none, it is refused.
  if (!isDecision(said)) return { question, decision: 'approve', answer: payload as Json };
  const isEdit = decision === 'edit' || (decision === undefined && given !== undefined);
  const brought = present({ arguments: given as Json | undefined, answer: answer as Json | undefined });
  return { question, decision: isEdit ? 'edit' : 'approve', ...brought, ...why };
}

/** Whether it says yes in words of ours, and nothing beside them that would be ignored. */
function isDecision(said: Readonly<Record<string, unknown>>): boolean {
  const { approved = true, decision = 'approve' } = said;
  const isYes = approved === true && (decision === 'approve' || decision === 'edit');
  const names = Object.keys(said);
  return isYes && names.every((name) => known.has(name)) && names.some((name) => deciding.has(name));
}

const deciding: ReadonlySet<string> = new Set(['approved', 'decision', 'arguments', 'answer']);
const known: ReadonlySet<string> = new Set([...deciding, 'rationale', 'reason']);

function asked(payload: unknown): Record<string, unknown> {
  return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
}

/** Of each run of ours, what it said last to people; of others all that was said. */
function historyOf(messages: readonly AgUiMessage[]): SentMessage[] {
  const said = messages.filter(({ role, subagentRunId }) => roles.has(role) && subagentRunId === undefined);
  const counting = said.filter(
    (message) => words(message) !== '' && !words(message).endsWith(supersededLine),
  );
  // The last of each run by its place: to look through the rest for each would hold everybody up.
  const lasts = new Map(counting.map((message, i) => [runOf(message), i]));
  return counting.flatMap((message, i) => {
    const run = runOf(message);
    return run === undefined || lasts.get(run) === i ? [sent(message)] : [];
  });
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer']);

/** Messages of ours have the name of their run in front. */
function runOf({ id = '', role }: AgUiMessage): string | undefined {
  return role === 'assistant' ? /^(.+)-(?:s\d+(?:\.\d+)?|answer)$/.exec(id)?.[1] : undefined;
}

function words({ content = '' }: AgUiMessage): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : []))
    .join('\n\n');
}

function sent(message: AgUiMessage): SentMessage {
  const { role, content } = message;
  const attachments = Array.isArray(content)
    ? content.flatMap((part) => attachmentIn(part, `messages «${(message.id ?? '').slice(0, 100)}»`))
    : [];
  const as = role === 'assistant' || role === 'user' ? role : 'system';
  const run = runOf(message);
  return { role: as, text: words(message), attachments, ...(run === undefined ? {} : { run }) };
}

/** By its content, its address, or the name of a file that was sent before; as older clients say it, too (`binary`). */
function attachmentIn(part: AgUiPart, at: string): SentAttachment[] {
  const { source, mimeType, data, url, id, filename } = part as AgUiMedia;
  const title = present({ title: filename });
  if (source?.type === 'file') return [{ file: source.value, ...title }];
  const type = source?.mimeType ?? mimeType;
  const address = source?.type === 'url' ? source.value : url;
  if (address !== undefined) return [{ ...linked(address, { at, type }), ...title }];
  const content = source?.value ?? data;
  if (content !== undefined) return [{ ...encoded(content, { at, type }), ...title }];
  return part.type === 'binary' && id !== undefined ? [{ file: id, ...title }] : [];
}

/** What is neither text nor anything that can be attached. */
function unreadIn(messages: readonly AgUiMessage[]): string[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const unread = parts.filter((part) => part.type !== 'text' && attachmentIn(part, part.type).length === 0);
  return [...new Set(unread.map(({ type }) => type))].map(
    (type) => `A part «${type.slice(0, 100)}» of a message has nothing that could be attached: left out.`,
  );
}
