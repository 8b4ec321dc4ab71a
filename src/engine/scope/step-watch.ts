import { isOpen, type Step } from '../../run/tree.ts';

/** Whoever waits for a step to be over. */
export class StepWatch {
  /** Resolves when a step was opened or closed here. */
  readonly moved: Promise<void>;
  readonly #move: () => void;
  readonly #watched = new Map<Step, readonly (() => void)[]>();

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.moved = promise;
    this.#move = resolve;
  }

  /** Resolves when a step that is open now is not any more. Nothing is in flight meanwhile: the step itself is. */
  async over(step: Step): Promise<void> {
    if (!isOpen(step)) return;
    await new Promise<void>((resolve) =>
      this.#watched.set(step, [...(this.#watched.get(step) ?? []), resolve]),
    );
  }

  /** The end of a step ends those below it too, so all that are watched are looked at. */
  look(): void {
    this.#move();
    for (const [step, waiting] of this.#watched) {
      if (isOpen(step)) continue;
      this.#watched.delete(step);
      for (const resolve of waiting) resolve();
    }
  }
}
