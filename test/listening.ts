import { memoryStore } from '../src/stores/memory.ts';
import type { Store } from '../src/stores/store.ts';

/** A store that remembers every text it was given. */
export function listening(): { store: Store; heard: string[] } {
  const heard: string[] = [];
  const store = memoryStore({ now: () => Date.now() });
  return {
    heard,
    store: {
      ...store,
      journal: {
        ...store.journal,
        offer: undefined,
        append: (append) => (
          heard.push(append.frames, JSON.stringify([append.indexed, append.blobs])),
          store.journal.append(append)
        ),
      },
      dispatch: {
        ...store.dispatch,
        create: (run) => (heard.push(JSON.stringify(run), run.frames), store.dispatch.create(run)),
      },
      mailbox: {
        ...store.mailbox,
        send: (sent) => (heard.push(JSON.stringify(sent)), store.mailbox.send(sent)),
      },
      blobs: { ...store.blobs, put: (owner, text) => (heard.push(text), store.blobs.put(owner, text)) },
    },
  };
}
