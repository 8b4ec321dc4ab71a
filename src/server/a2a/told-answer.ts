import type { Entry } from '../../run/events.ts';
import { stepOf, textOf, type RunTree } from '../../run/tree.ts';
import { noText, takenBack, toldPiece, toldRest } from '../../run/answer-text.ts';
import { isAnswer } from './told-steps.ts';

/** A piece of an answer, or the whole of it in place of what was told before. */
export interface AnswerPiece {
  readonly text: string;
  readonly append: boolean;
}

/** The answer of a run as it is written. What a retry takes back is said to be; the end puts it right. */
export class ToldAnswer {
  readonly #told = noText();
  /** Whether something was told that is no part of the answer. */
  #isWrong = false;

  /** As far as it is written. */
  begin(tree: RunTree): string {
    const steps = [...tree.steps.values()].filter((step) => isAnswer(tree, step));
    return steps.map((step) => this.#piece(nameOf(step), textOf(step))).join('');
  }

  /** What entries added to it. */
  more(tree: RunTree, entries: readonly Entry[]): string {
    const pieces = entries.map(({ event }) => {
      if (event.type !== 'text.appended' && event.type !== 'step.retried') return '';
      const step = stepOf(tree, event.step);
      if (!isAnswer(tree, step)) return '';
      if (event.type === 'text.appended')
        return event.channel === 'content' ? this.#piece(nameOf(step), event.text) : '';
      const line = takenBack(this.#told, `${step.id}`);
      this.#isWrong ||= line !== '';
      return line;
    });
    return pieces.join('');
  }

  /** What steps say one after the other is told as it comes, and the last of it is the answer. */
  #piece(step: string, text: string): string {
    this.#isWrong ||= text !== '' && this.#told.length > 0 && this.#told.step !== step;
    return toldPiece(this.#told, step, text);
  }

  end(answer: string): AnswerPiece {
    if (answer === '') return { text: '', append: true };
    const rest = toldRest(this.#told, answer);
    const isAnother = this.#isWrong || (this.#told.length > 0 && rest.endsWith(answer));
    return isAnother ? { text: answer, append: false } : { text: rest, append: true };
  }
}

function nameOf({ id }: { readonly id: number }): string {
  return `${id}`;
}
