import type { Step } from '../../run/tree.ts';
import type { Item } from '../../run/values.ts';
import type { Execution } from '../execution.ts';

/** What one attempt of a call may say, in characters and in pieces, and what it may attach. */
const most = { text: 1_000_000, pieces: 10_000, items: 8_000_000, attached: 200 } as const;

/** Records what a tool says and attaches while it runs, up to a bound; that there was more is said once. */
export class ToolVoice {
  readonly #execution: Execution;
  readonly #step: Step;
  #text = 0;
  #pieces = 0;
  #items = 0;
  #attached = 0;
  #isCut = false;

  constructor(execution: Execution, step: Step) {
    this.#execution = execution;
    this.#step = step;
  }

  say(text: string): void {
    const left = most.text - this.#text;
    if (left <= 0 || this.#pieces >= most.pieces) return this.#cut();
    const said = text.length > left ? text.slice(0, left).toWellFormed() : text;
    this.#text += said.length;
    this.#pieces += 1;
    this.#execution.say({ type: 'text.appended', step: this.#step.id, channel: 'log', text: said });
    if (said !== text) this.#cut();
  }

  attach(item: Item): void {
    const size = JSON.stringify(item).length;
    if (this.#items + size > most.items || this.#attached >= most.attached) return this.#cut();
    this.#items += size;
    this.#attached += 1;
    this.#execution.emit({ type: 'item.attached', step: this.#step.id, item });
  }

  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    const message =
      `«${this.#step.title}» said or attached more than a call may ` +
      `(${most.text} characters in ${most.pieces} pieces, ${most.attached} items of ${most.items} characters in all); the rest is left out.`;
    this.#execution.emit({ type: 'notice.posted', step: this.#step.id, code: 'SAID_TOO_MUCH', message });
  }
}
