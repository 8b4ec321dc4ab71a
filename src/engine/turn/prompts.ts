import type { Message, Turn } from '../../gateways/gateway.ts';
import type { StepId } from '../../run/events.ts';
import type { RecordedPrompt } from '../../run/prompt.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepData } from '../record/large-input.ts';

/** Characters. */
const shortPrompt = 16 * 1024;
/** What is shorter is compared itself: a name would cost more than it saves. */
const shortText = 512;

/** A prompt as far as the next one is compared with it. */
interface Sent {
  readonly step: StepId;
  readonly messages: readonly string[];
  readonly offer: string;
}

/** What agents are sent, recorded as what is new since the last time. */
export class Prompts {
  readonly #execution: Execution;
  readonly #sent = new Map<string, Sent>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Told with the intent of the turn, unless it is long or something has to be kept for it first. */
  record(step: Step, agent: string, turn: Turn): Promise<void> | undefined {
    const { hash } = this.#execution.world;
    const nameOf = (value: unknown): string => {
      const text = JSON.stringify(value);
      return text.length <= shortText ? text : hash(text);
    };
    const offer = offerOf(turn);
    const sent = {
      step: step.id,
      messages: turn.messages.map(nameOf),
      offer: nameOf(offer),
    };
    const before = this.#sent.get(agent);
    const kept = before ? inCommon(before.messages, sent.messages) : 0;
    const isSame = before?.offer === sent.offer;
    // Tried again: the same was sent.
    if (before?.step === step.id && isSame && kept === sent.messages.length) return undefined;
    const isNext = before !== undefined && before.step < step.id && kept > 0;
    const added = turn.messages.slice(isNext ? kept : 0);
    const prompt = { kept: isNext ? kept : 0, messages: added, ...(isNext && isSame ? {} : { offer }) };
    const tell = (clean: New): void => {
      if (!isOpen(step)) return;
      this.#tell(step, clean, isNext ? before.step : undefined);
      this.#sent.set(agent, sent);
    };
    if (!isShort(prompt)) return this.#cleanLong(prompt).then(tell);
    const { guarding, world } = this.#execution;
    const clean = world.secrets.cleanAll(prompt);
    tell(
      guarding.looksAtAll
        ? { ...clean, messages: clean.messages.map((one) => guarding.message(one)) }
        : clean,
    );
    return undefined;
  }

  /** The text goes with the entry that refers to it. */
  #tell(step: Step, prompt: New, continues: StepId | undefined): void {
    const text = JSON.stringify(prompt).toWellFormed();
    const blob = { blob: this.#execution.world.hash(text), size: Buffer.byteLength(text) };
    const event = { type: 'prompt.recorded', step: step.id, blob } as const;
    this.#execution.emit(continues === undefined ? event : { ...event, continues }, text);
  }

  async #cleanLong({ messages, ...prompt }: New): Promise<New> {
    const { guarding, world } = this.#execution;
    const light = await this.#execution.insist(() => Promise.all(messages.map((one) => this.#light(one))));
    const rest = world.clock.breather();
    const clean = await world.secrets.cleanLong({ ...prompt, messages: light }, rest);
    if (!guarding.looksAtAll) return clean;
    const guarded: Message[] = [];
    for (const message of clean.messages) {
      guarded.push(guarding.message(message));
      await rest();
    }
    return { ...clean, messages: guarded };
  }

  async #light({ attachments, ...message }: Message): Promise<Message> {
    if (!attachments) return message;
    const { world, tree, run } = this.#execution;
    const owner = { tenant: tree.started?.tenant ?? '', run };
    const kept = attachments.map((one) => keepData(world.store.blobs, owner, one));
    return { ...message, attachments: await Promise.all(kept) };
  }
}

interface New extends Omit<RecordedPrompt, 'messages'> {
  readonly messages: readonly Message[];
}

/** What is cleaned in one go, and needs nothing kept beside it. */
function isShort(prompt: New): boolean {
  const hasAttachments = prompt.messages.some(({ attachments }) => attachments !== undefined);
  return !hasAttachments && JSON.stringify(prompt).length <= shortPrompt;
}

function offerOf({ tools, toolChoice, answerSchema }: Turn): Json {
  return {
    ...(tools
      ? { tools: tools.map(({ name, description, schema }) => ({ name, description, schema })) }
      : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(answerSchema === undefined ? {} : { answerSchema }),
  };
}

/** How many of the first are the same. */
function inCommon(a: readonly string[], b: readonly string[]): number {
  const differs = b.findIndex((one, i) => one !== a[i]);
  return differs === -1 ? b.length : differs;
}
