import type { Clock } from '../../engine/time/clock.ts';
import type { Log } from '../../engine/world.ts';
import type { Store } from '../../stores/store.ts';
import { documentShelves } from '../../tools/documents/shelves.ts';
import { Uploads } from '../runs/uploads.ts';
import { systemClock } from '../../loop/machine.ts';

interface Means {
  readonly log: Log;
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/** The documents of conversations, in the store that everything is in. */
export function openUploads(store: Store, { log, clock = systemClock }: Means): Uploads {
  return new Uploads({
    store,
    shelves: documentShelves(),
    now: () => clock.now(),
    problem: (cause) => log.error({ cause }, 'A document could not be taken in.'),
  });
}
