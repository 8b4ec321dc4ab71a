import { useSyncExternalStore, type ReactNode } from 'react';

let said = '';
let fresh: string[] = [];
const listeners = new Set<() => void>();
/** What is said at once is said together: the last of it alone would hide the rest. Milliseconds. */
const gathering = 50;

/** Says something to whoever listens to the screen instead of looking at it. */
export function announce(sentence: string): void {
  fresh.push(sentence);
  if (fresh.length > 1) return;
  setTimeout(() => {
    said = fresh.join('. ');
    fresh = [];
    for (const changed of listeners) changed();
  }, gathering);
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}

export function Announcements(): ReactNode {
  const sentence = useSyncExternalStore(subscribe, () => said);
  return (
    <p className="unseen" role="status" aria-live="polite" data-announcements>
      {sentence}
    </p>
  );
}
