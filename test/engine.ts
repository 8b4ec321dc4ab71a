// A process with both services, as most have them: what it starts, its own worker takes in the same commit.
import { workplaceIn, type World } from '../src/engine/world.ts';
import { frontOf, type Front } from '../src/front/front.ts';
import { Worker } from '../src/worker/worker.ts';

export class Engine extends Worker implements Pick<Front, 'start' | 'send'> {
  readonly #front: Front;

  constructor(world: World, name: string) {
    const workplace = workplaceIn(world);
    super(workplace, name);
    this.#front = frontOf(workplace, { worker: this });
  }

  start(...given: Parameters<Front['start']>): ReturnType<Front['start']> {
    return this.#front.start(...given);
  }

  send(...given: Parameters<Front['send']>): ReturnType<Front['send']> {
    return this.#front.send(...given);
  }
}
