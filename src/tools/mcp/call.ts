import {
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  type CallToolResult,
  type Client,
  type InputRequests,
  type InputResponses,
  type Progress,
  type Tool as Definition,
} from '@modelcontextprotocol/client';
import { RunError } from '../../run/failure.ts';
import type { Effect, Json } from '../../run/values.ts';
import type { Arguments } from './arguments.ts';
import { askPerson } from './ask.ts';
import type { Calls, OpenCall } from './calls.ts';
import type { Connection } from './connection.ts';
import { deadline, type Deadline } from './deadline.ts';
import { failedCall } from './failure.ts';
import type { Link } from './link.ts';
import { readResult } from './result.ts';
import { stopped } from '../stop.ts';
import type { ToolContext } from '../tool.ts';

/** One tool of a server, as it was when it was offered. */
export interface Target {
  readonly server: string;
  readonly name: string;
  readonly definition: Definition;
  readonly arguments: Arguments;
  readonly effect: Effect;
  /** Milliseconds. */
  readonly timeout: number;
  readonly link: Link;
  readonly calls: Calls;
  /** Throws if what the server offers now is not what was offered. */
  check(connection: Connection, signal: AbortSignal): Promise<void>;
}

/** How often a server may ask for more within one call. */
const rounds = 10;
/** Characters of progress and log lines that one call may show. */
const mostLiveText = 65_536;
/** The longest time a timer takes; our own deadline comes first. */
const forever = 2_147_483_647;

interface Exchange {
  readonly target: Target;
  readonly input: Record<string, unknown>;
  readonly key: string;
  readonly call: OpenCall;
  readonly clock: Deadline;
}

export async function callTool(target: Target, input: Json, context: ToolContext): Promise<Json> {
  if (context.signal.aborted) throw stopped(target.name, context.signal);
  const clock = deadline(target.timeout, context.signal);
  const say = liveText(context);
  const call: OpenCall = {
    owner: JSON.stringify([context.tenant, context.run]),
    say,
    ask: (question) => askPerson({ server: target.server, context, clock, say }, question),
  };
  try {
    const exchange = {
      target,
      input: target.arguments.check(target.name, input),
      key: context.idempotencyKey,
      call,
      clock,
    };
    return await readResult(target.name, await deliver(exchange), context);
  } catch (error) {
    if (context.signal.aborted) throw stopped(target.name, context.signal);
    if (clock.isOver()) throw tooLate(target);
    throw failedCall(target.name, target.effect, error);
  } finally {
    clock.clear();
  }
}

function deliver(exchange: Exchange): Promise<CallToolResult> {
  const { target, clock, call } = exchange;
  return target.link.use(clock.signal, async (connection) => {
    await target.check(connection, clock.signal);
    const end = target.calls.begin(call);
    try {
      return await converse(connection.client, exchange);
    } finally {
      end();
    }
  });
}

/** Since 2026 a server asks by answering with questions, and the call is made again with the answers. */
async function converse(
  client: Client,
  { target, input, key, call, clock }: Exchange,
): Promise<CallToolResult> {
  const { outputSchema: _unchecked, ...toolDefinition } = target.definition;
  const params = { name: target.definition.name, arguments: input, _meta: metaOf(client, key) };
  // A result that does not fit its schema is still the result of something that was done: the model may read it.
  const options = {
    toolDefinition,
    signal: clock.signal,
    timeout: forever,
    allowInputRequired: true,
    onprogress: (progress: Progress) => call.say(lineOf(progress)),
  };
  let result = await client.callTool(params, options);
  for (let round = 1; isInputRequiredResult(result); round++) {
    if (round > rounds)
      throw new RunError('rejected', `${target.name} asked for more ${rounds} times and was left.`);
    const { inputRequests = {}, requestState } = result;
    const inputResponses = await answer(inputRequests, target, call);
    const again = { ...params, inputResponses, requestState };
    result = await client.callTool(again, options).catch((error: unknown) => {
      throw failedCall(target.name, target.effect, error);
    });
  }
  return result;
}

async function answer(requests: InputRequests, { name }: Target, call: OpenCall): Promise<InputResponses> {
  const responses: InputResponses = {};
  for (const [key, request] of Object.entries(requests)) {
    if (request.method !== 'elicitation/create') {
      throw new RunError('disabled', `${name} wants ${request.method}, which MCP servers do not get here.`);
    }
    responses[key] = await call.ask(request.params);
  }
  return responses;
}

function metaOf(client: Client, key: string): Record<string, string> {
  const isModern = client.getProtocolEra() === 'modern';
  return { 'vitrine/idempotency-key': key, ...(isModern ? { [LOG_LEVEL_META_KEY]: 'info' } : {}) };
}

function lineOf({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? count : `${message} (${count})`;
}

function liveText(context: ToolContext): (line: string) => void {
  let left = mostLiveText;
  return (line) => {
    if (left <= 0) return;
    left -= line.length + 1;
    context.say(left > 0 ? `${line}\n` : 'What the server says from here on is not shown.\n');
  };
}

function tooLate({ name, effect, timeout }: Target): RunError {
  const doubt = effect === 'once' ? ' and nobody knows whether it was done' : '';
  const message = `${name} gave no result within ${timeout} ms${doubt}; raise the timeout of its MCP server if it needs longer.`;
  return new RunError('timed-out', message, { retryable: effect !== 'once' });
}
