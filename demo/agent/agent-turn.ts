import {
  RunError,
  type Gateway,
  type Json,
  type Message,
  type Tool,
  type ToolContext,
} from '../../src/index.ts';

export interface AskedCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
}

/** Whoever shows what an agent does, while it does it. */
export interface Audience {
  say(text: string): void;
  think(text: string): void;
  /** A call begins. What it returns is told of the call's own progress, and of its end. */
  begin(call: AskedCall): CallAudience;
  use(usage: { readonly input: number; readonly output: number }): void;
}

export interface CallAudience extends Pick<ToolContext, 'say' | 'attach'> {
  end(outcome: CallOutcome): void;
}

export type CallOutcome =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly error: string };

export interface AgentTurn {
  /** The model it thinks with. */
  readonly model: Gateway;
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly conversation: string;
  readonly idempotencyKey: string;
  /** What the model reads of a result; all of it unless said. */
  readonly forModel?: (result: Json) => Json;
}

/** Rounds of calls before the model must answer. */
const mostRounds = 6;

/** Asks the model, runs the calls it asks for, and asks again, until it answers. Gives the messages that were added. */
export async function takeAgentTurn(
  turn: AgentTurn,
  audience: Audience,
  signal: AbortSignal,
): Promise<Message[]> {
  const added: Message[] = [];
  for (let round = 1; ; round += 1) {
    const { text, calls } = await askModel({ turn, added, round }, { audience, signal });
    // Calls of a model that was offered no tools are nobody's to run.
    if (calls.length === 0 || round > mostRounds) return [...added, { role: 'assistant', text }];
    added.push({ role: 'assistant', text, calls });
    for (const [place, call] of calls.entries()) {
      const key = `${turn.idempotencyKey}-${round}-${place}`;
      const outcome = await runCall(call, { ...turn, idempotencyKey: key }, { audience, signal });
      const { forModel = (result) => result } = turn;
      const read = outcome.ok ? { ok: true, result: forModel(outcome.result) } : outcome;
      added.push({ role: 'tool', call: call.id, text: JSON.stringify(read) });
    }
  }
}

interface Surroundings {
  readonly audience: Audience;
  readonly signal: AbortSignal;
}

async function askModel(
  asking: { readonly turn: AgentTurn; readonly added: readonly Message[]; readonly round: number },
  { audience, signal }: Surroundings,
): Promise<{ readonly text: string; readonly calls: AskedCall[] }> {
  const { turn, added, round } = asking;
  const calls = new Map<string, { id: string; tool: string; arguments: string }>();
  let text = '';
  const request = {
    messages: [...turn.messages, ...added],
    ...(round <= mostRounds && { tools: turn.tools }),
    idempotencyKey: `${turn.idempotencyKey}-${round}`,
    conversation: turn.conversation,
  };
  for await (const events of turn.model.takeTurn(request, signal)) {
    for (const event of events) {
      if (event.type === 'text.appended' && (event.channel ?? 'content') === 'content') {
        text += event.text;
        audience.say(event.text);
      } else if (event.type === 'text.appended') audience.think(event.text);
      else if (event.type === 'call.appended') {
        const call = calls.get(event.call) ?? { id: event.call, tool: '', arguments: '' };
        calls.set(event.call, {
          ...call,
          tool: call.tool + (event.tool ?? ''),
          arguments: call.arguments + event.text,
        });
      } else if (event.type === 'usage.reported') audience.use(event.usage);
    }
  }
  return { text, calls: [...calls.values()] };
}

/** A call that fails is the model's to deal with; only a client that left ends the turn. */
async function runCall(
  call: AskedCall,
  turn: AgentTurn,
  { audience, signal }: Surroundings,
): Promise<CallOutcome> {
  const told = audience.begin(call);
  const outcome = await attempt(call, turn, { told, signal });
  signal.throwIfAborted();
  told.end(outcome);
  return outcome;
}

async function attempt(
  { tool: name, arguments: given }: AskedCall,
  { tools, conversation, idempotencyKey }: AgentTurn,
  { told, signal }: { readonly told: CallAudience; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  const tool = tools.find((each) => each.name === name);
  if (!tool) return { ok: false, error: `There is no tool ${name}.` };
  const context = {
    idempotencyKey,
    tenant: 'demo',
    run: conversation,
    signal,
    say: (text: string): void => told.say(text),
    attach: told.attach.bind(told),
  };
  const input = parsed(given);
  if (input === undefined) return { ok: false, error: `The arguments of ${name} are not JSON.` };
  try {
    return { ok: true, result: await tool.run(input, context) };
  } catch (thrown) {
    if (thrown instanceof RunError) return { ok: false, error: thrown.message };
    throw thrown;
  }
}

function parsed(given: string): Json | undefined {
  try {
    const value: Json = JSON.parse(given === '' ? '{}' : given);
    return value;
  } catch {
    return undefined;
  }
}
