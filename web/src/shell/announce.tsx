import { useSyncExternalStore, type ReactNode } from 'react';

let said = '';
const listeners = new Set<() => void>();

/** Says something to whoever listens to the screen instead of looking at it. */
export function announce(sentence: string): void {
  said = sentence;
  for (const changed of listeners) changed();
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
