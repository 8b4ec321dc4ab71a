import { stateLimit } from '../../catalog/state.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Message } from '../../gateways/gateway.ts';
import type { Notice, Step } from '../../run/tree.ts';
import type { Attachment, Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import type { AgentExchange } from './remembered.ts';

const defaultExchanges = 8;
const defaultCharacters = 24_000;
const defaultAttachments = 8 * 1024 * 1024;

/**
 * The messages of a turn with what an agent that keeps nothing needs in front: its own exchanges, each message with what
 * hung on it and each answer with the state it left. A flow that sends answers along tells the whole story itself, and
 * nothing is added to it.
 */
export async function restored(
  execution: Execution,
  step: Step,
  { agent, messages }: { readonly agent: Agent; readonly messages: readonly Message[] },
): Promise<readonly Message[]> {
  const { remembered } = execution;
  const whole = (one: Attachment): Promise<Attachment> => execution.insist(() => remembered.whole(one));
  const { all, left } = await withThread(execution, { agent, messages }, whole);
  // Once in a run, whoever else was given less than all.
  tell(execution, step, { code: 'HISTORY_BOUNDED', message: left, told: execution.tree.notices });
  return all;
}

/** The same before anything is sent: what is large stays a reference. */
export async function toBeRestored(
  execution: Execution,
  given: { readonly agent: Agent; readonly messages: readonly Message[] },
): Promise<readonly Message[]> {
  return (await withThread(execution, given, (attachment) => Promise.resolve(attachment))).all;
}

interface Threaded {
  readonly all: readonly Message[];
  /** What was left out, in words. */
  readonly left: string;
}

async function withThread(
  execution: Execution,
  { agent, messages }: { readonly agent: Agent; readonly messages: readonly Message[] },
  load: (attachment: Attachment) => Promise<Attachment>,
): Promise<Threaded> {
  if (agent.state !== 'restore' || messages.some(({ role }) => role === 'assistant'))
    return { all: messages, left: '' };
  const { exchanges: most = defaultExchanges } = agent.keeps ?? {};
  const found = await execution.insist(() => execution.remembered.exchanges(agent.name, most + 1));
  const kept = newest(found, agent);
  const { attached, left } = await attachmentsOf(kept, agent, load);
  const isShort = kept.length < found.length;
  const thread = kept.flatMap(({ asked, answered, state, strategy }, i): Message[] => [
    { role: 'user', text: asked, ...(attached[i]?.length ? { attachments: attached[i] } : {}) },
    {
      role: 'assistant',
      text: answered,
      ...(state === undefined || strategy !== 'restore' ? {} : { state }),
    },
  ]);
  const begin = messages.findIndex(({ role }) => role !== 'system');
  const all = [...messages.slice(0, begin), ...thread, ...messages.slice(begin)];
  return { all, left: shortened(agent, { isShort, kept, left }) };
}

/** What an agent left last. What was saved for another way of remembering means nothing in this one. */
export async function ownState(execution: Execution, step: Step, agent: Agent): Promise<Json | undefined> {
  const saved = await execution.insist(() => execution.remembered.latest(agent.name));
  if (saved === undefined || saved.strategy === agent.state) return saved?.state;
  const message = `What ${agent.name} left was saved while its state was «${saved.strategy}»; it is «${agent.state}» now, so it was not sent.`;
  tell(execution, step, { code: 'STATE_LEFT_OUT', message, told: step.notices });
  return undefined;
}

/** As many of the newest as fit, in words and in state. The newest goes along in any case: it has the latest state. */
function newest(found: readonly AgentExchange[], { keeps = {} }: Agent): readonly AgentExchange[] {
  const {
    exchanges: most = defaultExchanges,
    characters = defaultCharacters,
    state: room = stateLimit,
  } = keeps;
  let [words, states, count] = [0, 0, 0];
  for (const { asked, answered, state } of found.toReversed()) {
    words += asked.length + answered.length;
    states += state === undefined ? 0 : JSON.stringify(state).length;
    if (count >= most || (count > 0 && (words > characters || states > room))) break;
    count += 1;
  }
  return count === 0 ? [] : found.slice(-count);
}

interface Attached {
  /** For each exchange, in its order. */
  readonly attached: readonly (readonly Attachment[])[];
  /** How many are named without their content. */
  readonly left: number;
}

/** What hung on the messages, of the newest first as much as fits. The rest is named: its agent can say so. */
async function attachmentsOf(
  exchanges: readonly AgentExchange[],
  { keeps = {} }: Agent,
  load: (attachment: Attachment) => Promise<Attachment>,
): Promise<Attached> {
  const attached: Attachment[][] = [];
  let room = keeps.attachments ?? defaultAttachments;
  let left = 0;
  for (const { attachments } of exchanges.toReversed()) {
    const own: Attachment[] = [];
    for (const attachment of attachments) {
      const { data, blob, ...named } = attachment;
      const size = blob?.size ?? data?.length ?? 0;
      room -= size;
      if (room < 0 && size > 0) left += 1;
      own.push(room < 0 && size > 0 ? named : await load(attachment));
    }
    attached.unshift(own);
  }
  return { attached, left };
}

interface Shortened {
  readonly isShort: boolean;
  readonly kept: readonly AgentExchange[];
  readonly left: number;
}

function shortened({ name }: Agent, { isShort, kept, left }: Shortened): string {
  const said = isShort
    ? `Earlier exchanges of ${name} were left out; its last ${kept.length} were sent.`
    : '';
  const hung = left > 0 ? `${left} earlier attachments for ${name} were named without their content.` : '';
  return [said, hung].filter((part) => part !== '').join(' ');
}

interface Telling {
  readonly code: string;
  readonly message: string;
  /** Where it may stand already, however often the turn is tried. */
  readonly told: readonly Notice[];
}

function tell(execution: Execution, step: Step, { code, message, told }: Telling): void {
  if (message === '' || told.some((notice) => notice.code === code)) return;
  execution.emit({ type: 'notice.posted', step: step.id, code, message });
}
