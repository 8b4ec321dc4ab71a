import type { Json } from '../../src/wire/json.ts';
import { DialStages, type AttachmentOut, type DialStage } from './dial-stage.ts';

interface Usage {
  readonly model: string;
  readonly input: number;
  readonly output: number;
}

/** The one choice of an answer. It begins when the handler opens it; before that an error still has a status. */
export class DialAnswer {
  readonly #id: string;
  readonly #created: number;
  readonly #send: (chunk: object) => void;
  readonly #stages: DialStages;
  readonly #attachments: AttachmentOut[] = [];
  readonly #usage: Usage[] = [];
  #content = '';
  #state: Json | undefined;
  isOpen = false;

  constructor(id: string, created: number, send: (chunk: object) => void) {
    this.#id = id;
    this.#created = created;
    this.#send = send;
    this.#stages = new DialStages((piece) => this.#custom({ stages: [piece] }));
  }

  open(): void {
    this.isOpen = true;
    this.#delta({ role: 'assistant' });
  }

  say(content: string): void {
    if (content === '') return;
    this.#content += content;
    this.#delta({ content });
  }

  stage(name: string): DialStage {
    return this.#stages.open(name);
  }

  attach(attachment: AttachmentOut): void {
    this.#custom({ attachments: [{ index: this.#attachments.length, ...attachment }] });
    this.#attachments.push(attachment);
  }

  /** What the client hands back with this message next time: the only memory there is. */
  remember(state: Json): void {
    if (this.#state !== undefined) throw new Error('A state is set once.');
    this.#state = state;
    this.#custom({ state });
  }

  use(usage: Usage): void {
    this.#usage.push(usage);
  }

  failOpenStages(): void {
    this.#stages.failOpen();
  }

  finish(hasFailed: boolean): void {
    const totals = hasFailed || this.#usage.length === 0 ? { usage: null } : this.#totals();
    this.#chunk([{ index: 0, finish_reason: 'stop', delta: {} }], totals);
  }

  /** The same answer in one piece: a stage's index is its place, and parents are places too. */
  block(): object {
    const stages = this.#stages.records.map(({ name, status, content, attachments, parent }) => ({
      name,
      status,
      ...(content === '' ? {} : { content }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(parent === undefined ? {} : { parent_stage_index: parent }),
    }));
    const custom = {
      ...(stages.length === 0 ? {} : { stages }),
      ...(this.#attachments.length === 0 ? {} : { attachments: this.#attachments }),
      ...(this.#state === undefined ? {} : { state: this.#state }),
    };
    const message = {
      role: 'assistant',
      ...(Object.keys(custom).length === 0 ? {} : { custom_content: custom }),
      content: this.#content,
    };
    const { usage, statistics } = this.#totals();
    return {
      choices: [{ index: 0, finish_reason: 'stop', message }],
      usage,
      id: this.#id,
      created: this.#created,
      object: 'chat.completion',
      statistics,
    };
  }

  #totals() {
    const perModel = this.#usage.map(({ model, input, output }, index) => ({
      index,
      model,
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
    }));
    const prompt_tokens = perModel.reduce((sum, each) => sum + each.prompt_tokens, 0);
    const completion_tokens = perModel.reduce((sum, each) => sum + each.completion_tokens, 0);
    return {
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
      statistics: { usage_per_model: perModel, discarded_messages: [] },
    };
  }

  #custom(content: object): void {
    this.#delta({ custom_content: content });
  }

  #delta(delta: object): void {
    this.#chunk([{ index: 0, finish_reason: null, delta }], { usage: null });
  }

  #chunk(choices: readonly object[], more: object): void {
    this.#send({ choices, ...more, id: this.#id, created: this.#created, object: 'chat.completion.chunk' });
  }
}
