import { isModel, placeOfLast } from '../conversation/conversation.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { AgentAnswer, Message, Telling, Turn } from '../../gateways/gateway.ts';
import type { Untrusted } from '../../run/events.ts';
import { errorOf, RunError } from '../../run/failure.ts';
import { localTenant } from '../../run/owner.ts';
import { stopped } from '../../run/stopped.ts';
import { tokensIn, isOpen, textOf, type Step, present } from '../../run/tree.ts';
import type { Attachment, BlobRef, Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import { aborted } from '../aborted.ts';
import { audienceOf, idempotencyKey, type Leaf, type LeafOutcome, agreedTo, mustAsk } from '../leaf/leaf.ts';
import { lineName } from '../conversation/line.ts';
import { ownState, restored } from '../conversation/restore.ts';
import { standingOf, type Standing } from '../conversation/standing.ts';
import type { Execution } from '../execution.ts';
import { runLeaf } from '../leaf/run-leaf.ts';
import { attachedAs } from '../question/along.ts';
import {
  hasLargeItem,
  withKeptItems,
  isLarge,
  keepAttachment,
  keepLarge,
  resultOf,
} from '../record/recordable.ts';
import type { TurnRequest, TurnResult } from '../scope.ts';
import { cancelTurn } from '../question/questions.ts';
import { inPieces, readStream, Surplus, TurnReader, turnResult } from './turn-reader.ts';
import { hasForgotten, recallTurn } from './recall-turn.ts';
import { sentCharacters, TurnMeter } from './turn-meter.ts';
import { Within } from '../time/deadlines.ts';
import { owned } from '../scope/composite.ts';

/** A turn at its place. */
export interface PlacedTurn extends TurnRequest {
  readonly parent: number;
  readonly key: string;
  /** What people made of what the turn before it asked. */
  readonly answered?: readonly AgentAnswer[];
}

/** A turn of a model or agent, told as it streams. The result is what the journal holds, not a second copy. */
export async function runTurn(execution: Execution, agent: Agent, given: PlacedTurn): Promise<TurnResult> {
  const message = execution.guarding.cleanAll(lastText(given.messages));
  // What is sent is what is recorded.
  const request = withLastText(given, message);
  const shown = isLarge(message) ? await execution.busy(keepLarge(execution, message)) : message;
  // What a person has just decided is not asked about once more.
  const isAsked = request.answered === undefined && mustAsk(execution, agent, message);
  const mayBeAsked = isAsked || (request.answered === undefined && agent.sends === true);
  const isKept = mayBeAsked || !isModel(agent);
  const attachments = isKept ? await keptAttachments(execution, request.messages) : [];
  const attached =
    attachments.length === 0 ? undefined : execution.world.hash(JSON.stringify(attachedAs(attachments)));
  const leaf = turnLeaf(execution, agent, { ...request, shown, isAsked, attachments, attached });
  const stood = mayBeAsked ? await stoodBefore(execution, agent, { ...request, attachments }) : undefined;
  const step = await runLeaf(execution, request.parent, { ...leaf, stood });
  const result = turnResult(step);
  if (step.status === 'completed')
    return isModel(agent) ? result : { ...result, ...(await questionsOf(execution, step)) };
  throw errorOf(step.failure ?? { code: 'unavailable', message: `${agent.name} did not finish its turn.` });
}

/** What a person is asked about must be known before the step is opened: the question is part of the opening. */
async function stoodBefore(
  execution: Execution,
  agent: Agent,
  { parent, key, messages, attachments }: PlacedTurn & Pick<Prepared, 'attachments'>,
): Promise<Standing | undefined> {
  const known = execution.recorded.child(parent, key);
  if (known?.closedAt !== undefined) return undefined;
  return execution.busy(standingOf(execution, { agent, step: known?.id, messages, attachments }));
}

interface Prepared extends PlacedTurn {
  readonly shown: BlobRef | Json;
  readonly isAsked: boolean;
  readonly attachments: readonly Attachment[];
  /** A name for them. */
  readonly attached: string | undefined;
}

/** What hangs on the message, as the opening carries it: the agent may need it again in a later turn. */
function keptAttachments(execution: Execution, messages: readonly Message[]): Promise<readonly Attachment[]> {
  const attachments = attachmentsOf(messages);
  if (attachments.length === 0) return Promise.resolve([]);
  return execution.busy(Promise.all(attachments.map((one) => keepAttachment(execution, one))));
}

function turnLeaf(execution: Execution, agent: Agent, request: Prepared): Leaf {
  const message = lastText(request.messages);
  const conversation = execution.tree.started?.conversation ?? execution.run;
  const { attached } = request;
  const sending = (bytes: Json): Sending => ({
    agent,
    request: withLastText(request, bytes),
    bytes,
    attached,
    conversation,
  });
  return {
    key: request.key,
    opening: {
      kind: 'turn',
      title: request.title ?? agent.name,
      agent: agent.name,
      effect: agent.effect,
      ...(isModel(agent) ? {} : { query: message }),
      ...(request.attachments.length === 0 ? {} : { attachments: [...request.attachments] }),
      ...(agent.model === undefined ? {} : { model: agent.model }),
      ...present({ attached, untrusted: untrustedIn(execution, agent, request), within: request.within }),
    },
    effect: agent.effect,
    intent: {
      kind: 'turn',
      parent: request.parent,
      mustAsk: request.isAsked,
      // What goes back is a person's own decision, and nothing that anybody else wrote.
      sends: request.answered === undefined && (agent.sends ?? false),
      answers: request.answers ?? false,
      tokens: tokensIn(sentCharacters(request)),
      attachments: attachmentsOf(request.messages).length,
    },
    bytes: message,
    shown: request.shown,
    edited: async () => undefined,
    ...(isModel(agent) ? {} : { exclusive: lineName(conversation, agent.name) }),
    standing: ({ id: step }: Step) => standingOf(execution, { agent, step, ...request }),
    perform: (step, bytes, begin) => perform(execution, step, { ...sending(bytes), begin }),
    recall: async (step, bytes) =>
      recallTurn(execution, agent, await turnOf(execution, step, sending(bytes))),
    ...(agent.gateway.remembers
      ? {
          hasForgotten: async (step) =>
            hasForgotten(execution, agent, await turnOf(execution, step, sending(message))),
        }
      : {}),
  };
}

interface Sending {
  readonly agent: Agent;
  readonly request: TurnRequest & Pick<PlacedTurn, 'answered'>;
  readonly bytes: Json;
  readonly attached: string | undefined;
  readonly conversation: string;
}

async function turnOf(
  execution: Execution,
  step: Step,
  { agent, request, bytes, attached, conversation }: Sending,
): Promise<Turn> {
  const { messages, tools, toolChoice, answerSchema } = request;
  const agreed = agreedTo(execution, step);
  const isFresh = agreed?.forgotten === true && execution.tree.states.get(agent.name)?.step !== step.id;
  const state = remembers(agent) && !isFresh ? await ownState(execution, step, agent) : undefined;
  return {
    messages: agent.state === 'restore' ? await restored(execution, step, { agent, messages }) : messages,
    conversation: conversationAbroad(execution, conversation),
    idempotencyKey: idempotencyKey(execution, step, keyed(execution, step, { bytes, attached })),
    ...(tools?.length ? { tools } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(answerSchema === undefined ? {} : { answerSchema }),
    ...(state === undefined ? {} : { state }),
    ...(isRepeatable(execution, step, agent) ? { isRepeatable: true } : {}),
    ...(agreed ? { isAgreed: true } : {}),
    ...(request.answered ? { answers: request.answered } : {}),
  };
}

/** All of what is sent. A turn that was begun when only words counted keeps the key it was begun with. */
function keyed(
  { recorded }: Execution,
  { id }: Step,
  { bytes, attached }: Pick<Sending, 'bytes' | 'attached'>,
): Json {
  const before = recorded.opening(id);
  return attached === undefined || (before && before.attached === undefined) ? bytes : [bytes, attached];
}

/** An approval is for one attempt: what a person agreed to is not repeated without asking again. */
function isRepeatable({ tree }: Execution, { id }: Step, { effect }: Agent): boolean {
  return effect !== 'once' && ![...tree.approvals.values()].some(({ step }) => step === id);
}

/** What it is asked is recorded with the intent. Looking up what was saved may take long, so leave is asked for after it. */
async function perform(
  execution: Execution,
  step: Step,
  { begin, ...sending }: Sending & { readonly begin: () => Promise<boolean> },
): Promise<LeafOutcome | undefined> {
  const { agent, request } = sending;
  const turn = await turnOf(execution, step, sending);
  const prompt = execution.prompts.record(step, agent.name, turn);
  // It is waited for in the end; a failure before that must not count as nobody's.
  prompt?.catch(() => {});
  if (!(await begin())) return undefined;
  const work = (): Promise<LeafOutcome> => stream(execution, step, { agent, request, turn, prompt });
  return owned(execution, step, { name: agent.name, work });
}

interface Streaming extends Pick<Sending, 'agent' | 'request'> {
  readonly turn: Turn;
  readonly prompt: Promise<void> | undefined;
}

async function stream(execution: Execution, step: Step, streaming: Streaming): Promise<LeafOutcome> {
  const { agent, request, turn, prompt } = streaming;
  const sent = sentCharacters(turn);
  const reader = new TurnReader(execution, step, { agent, sent });
  const meter = new TurnMeter(execution, { sent, answers: request.answers ?? false });
  const ended = new Within(execution.deadlines.signalAt(step.id));
  const { signal } = ended;
  const surplus = new Surplus(meter, request.maxCalls ?? Infinity, (milliseconds) =>
    execution.world.clock.sleep(milliseconds, signal),
  );
  void meter.watchClock(signal, (spent) => ended.abort(new RunError('over-budget', spent)));
  try {
    const take = inPieces(execution.world.clock, signal, (events) => {
      if (!isOpen(step)) throw new RunError('rejected', `«${step.title}» was closed before it ended.`);
      meter.arrived();
      for (const event of events) {
        if (surplus.ends(event)) return true;
        reader.take(event);
        meter.take(event);
        // A guard has ended it: the rest would be paid for and never told.
        if (execution.writer.isEnded(step.id)) return true;
      }
      surplus.settle();
      const spent = meter.overspent();
      if (spent) throw new RunError('over-budget', spent);
      return false;
    });
    const whenWritten = (isEnough: boolean): boolean | Promise<boolean> =>
      isEnough || (execution.writer.room()?.then(() => false) ?? false);
    const read = readStream(begun(execution, step, { agent, turn, signal }), signal, (events) => {
      const taken = hasLargeItem(events) ? withKeptItems(execution, events).then(take) : take(events);
      return typeof taken === 'boolean' ? whenWritten(taken) : taken.then(whenWritten);
    });
    const isCut = await Promise.race([read, surplus.closed]);
    if (isCut) ended.abort(aborted);
    if (!request.tools) tellUnansweredCalls(execution, step, agent);
    await reader.settle(turn.state);
    await prompt;
    return await reader.finish(isCut ? 'cut' : undefined);
  } catch (thrown) {
    if (!(thrown instanceof RunError)) {
      await reader.abandon();
      throw thrown;
    }
    logOrigin(execution, thrown);
    await prompt;
    return await (isCutAnswer(request, step, thrown) ? reader.finish('budget') : reader.fail(thrown));
  } finally {
    ended.abort(aborted);
  }
}

/** An answer that the budget cuts off is better than none. */
function isCutAnswer({ answers }: Sending['request'], step: Step, { failure }: RunError): boolean {
  return answers === true && failure.code === 'over-budget' && textOf(step).trim() !== '';
}

interface Begun extends Pick<Streaming, 'agent' | 'turn'> {
  readonly signal: AbortSignal;
}

/** Whoever stops a run stops what is done for it elsewhere: its end waits until that is said. */
function begun(execution: Execution, { id: step }: Step, { agent, turn, signal }: Begun): Telling {
  const telling = agent.gateway.takeTurn(turn, signal);
  if (!agent.gateway.cancel) return telling;
  const token = async (): Promise<Json | undefined> => telling.token?.();
  const cancel = (): void => {
    if (signal.reason === stopped)
      void execution.recording(() => cancelTurn(execution, { agent, step, token }));
  };
  signal.addEventListener('abort', cancel, { once: true });
  return telling;
}

/** Nobody here runs what an agent asks for unless it was offered: its answer may lack what it wanted to know. */
function tellUnansweredCalls(execution: Execution, step: Step, { name }: Agent): void {
  const tools = [...(step.requests?.values() ?? [])].map(({ tool }) => tool);
  if (tools.length === 0) return;
  const message = `${name} asked for ${[...new Set(tools)].join(', ')}, which nobody runs for it here: its answer may be incomplete.`;
  execution.emit({ type: 'notice.posted', step: step.id, code: 'CALLS_UNANSWERED', message });
}

/** People are told who failed; where that is, and what the system says of it, is for those who run this. */
function logOrigin({ world, run }: Execution, error: RunError): void {
  let { cause } = error;
  while (cause instanceof RunError) cause = cause.cause;
  if (cause !== undefined) world.log.error({ run, cause }, error.message);
}

/** Whether it gets anything back of what it left in this conversation. */
function remembers({ state = 'stateless' }: Agent): boolean {
  return state !== 'stateless';
}

/** What tools say of themselves is read by a model, too: until somebody has approved it, it is a stranger's text. */
function untrustedIn(
  execution: Execution,
  { untrusted }: Agent,
  { tools = [] }: TurnRequest,
): Untrusted | undefined {
  if (untrusted) return 'content';
  const offered = new Set(tools.map(({ name }) => name));
  const audience = audienceOf(execution);
  const isUnknown = (tool: Tool): boolean => offered.has(tool.name) && tool.caution?.(audience) !== undefined;
  return offered.size > 0 && execution.world.catalog.tools.some(isUnknown) ? 'tools' : undefined;
}

function attachmentsOf(messages: readonly Message[]): readonly Attachment[] {
  return messages[placeOfLast(messages)]?.attachments ?? [];
}

function lastText(messages: readonly Message[]): string {
  return messages[placeOfLast(messages)]?.text ?? '';
}

function withLastText<T extends TurnRequest>(request: T, bytes: Json): T {
  if (bytes === lastText(request.messages) || typeof bytes !== 'string') return request;
  const place = placeOfLast(request.messages);
  return {
    ...request,
    messages: request.messages.map((message, i) => (i === place ? { ...message, text: bytes } : message)),
  };
}

/**
 * A conversation as others know it. Ids are told apart by tenant here, and those who keep something under one elsewhere
 * do not know of tenants: nobody gets to what another tenant left there.
 */
function conversationAbroad({ tree, world }: Execution, conversation: string): string {
  const { tenant = localTenant } = tree.started ?? {};
  if (tenant === localTenant) return conversation;
  return `conversation_${world.hash(JSON.stringify([tenant, conversation])).slice(0, 32)}`;
}

async function questionsOf(execution: Execution, step: Step): Promise<Pick<TurnResult, 'questions'>> {
  const result = await execution.busy(resultOf(execution, step));
  const { questions } = (result ?? {}) as Pick<TurnResult, 'questions'>;
  return present({ questions });
}
