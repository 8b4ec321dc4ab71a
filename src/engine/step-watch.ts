import { isOpen, type Step } from '../run/tree.ts';

/** Whoever waits for a step to be over. */
export class StepWatch {
  readonly #watched = new Map<Step, readonly (() => void)[]>();

  /** Resolves when a step that is open now is not any more. */
  async over(step: Step): Promise<void> {
    if (!isOpen(step)) return;
    await new Promise<void>((resolve) =>
      this.#watched.set(step, [...(this.#watched.get(step) ?? []), resolve]),
    );
  }

  /** The end of a step ends those below it too, so all that are watched are looked at. */
  look(): void {
    for (const [step, waiting] of this.#watched) {
      if (isOpen(step)) continue;
      this.#watched.delete(step);
      for (const resolve of waiting) resolve();
    }
  }
}
