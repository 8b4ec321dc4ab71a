import type { Message, Turn } from '../../gateways/gateway.ts';
import type { StepId } from '../../run/events.ts';
import type { RecordedPrompt } from '../../run/prompt.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepData } from '../record/large-input.ts';

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

  /** Resolves when the journal has it. The agent need not wait for that; the end of its turn must. */
  async record(step: Step, agent: string, turn: Turn): Promise<void> {
    const { hash } = this.#execution.world;
    const offer = offerOf(turn);
    const sent = {
      step: step.id,
      messages: turn.messages.map((message) => hash(JSON.stringify(message))),
      offer: hash(JSON.stringify(offer)),
    };
    const before = this.#sent.get(agent);
    const kept = before ? inCommon(before.messages, sent.messages) : 0;
    const isSame = before?.offer === sent.offer;
    // Tried again: the same was sent.
    if (before?.step === step.id && isSame && kept === sent.messages.length) return;
    const isNext = before !== undefined && before.step < step.id && kept > 0;
    const blob = await this.#keep({
      kept: isNext ? kept : 0,
      messages: turn.messages.slice(isNext ? kept : 0),
      ...(isNext && isSame ? {} : { offer }),
    });
    if (!isOpen(step)) return;
    const continues = isNext ? { continues: before.step } : {};
    this.#execution.emit({ type: 'prompt.recorded', step: step.id, ...continues, blob });
    this.#sent.set(agent, sent);
  }

  async #keep({ messages, ...prompt }: New): Promise<{ readonly blob: string; readonly size: number }> {
    const { world, tree, run } = this.#execution;
    const { blobs } = world.store;
    const owner = { tenant: tree.started?.tenant ?? '', run };
    return this.#execution.insist(async () => {
      const light = async ({ attachments, ...message }: Message): Promise<Message> =>
        attachments
          ? {
              ...message,
              attachments: await Promise.all(attachments.map((one) => keepData(blobs, owner, one))),
            }
          : message;
      const whole = { ...prompt, messages: await Promise.all(messages.map(light)) };
      const clean = await world.secrets.cleanLong(whole, world.clock.breather());
      return blobs.put(owner, JSON.stringify(clean));
    });
  }
}

interface New extends Omit<RecordedPrompt, 'messages'> {
  readonly messages: readonly Message[];
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
