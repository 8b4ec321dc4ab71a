import { useSyncExternalStore } from 'react';

/** Something a person has set for this browser. */
export interface Setting<T extends string> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (changed: () => void) => () => void;
}

/** `read` gives what is good of what was kept; everything else is the default. */
export function setting<T extends string>(
  name: string,
  usual: T,
  read: (value: string) => T | undefined,
): Setting<T> {
  const key = `vitrine.${name}`;
  const listeners = new Set<() => void>();
  const kept = (): T => read(store()?.getItem(key) ?? '') ?? usual;
  let value = kept();
  const tell = (): void => {
    for (const changed of listeners) changed();
  };
  // Another tab has set it.
  addEventListener('storage', (event) => {
    if (event.key !== key) return;
    value = kept();
    tell();
  });
  return {
    get: () => value,
    set(next) {
      value = next;
      store()?.setItem(key, next);
      tell();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

/** A page from a disk may have no place to keep anything, and a browser says so by throwing. */
function store(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

export function useSetting<T extends string>({ subscribe, get }: Setting<T>): T {
  return useSyncExternalStore(subscribe, get);
}

/** A setting with a few choices. */
export function choice<const T extends string>(name: string, choices: readonly [T, ...T[]]): Setting<T> {
  return setting<T>(name, choices[0], (value) => choices.find((one) => one === value));
}
