import { useSyncExternalStore } from 'react';
import type { GivenAttachment } from '../../../src/client/client.ts';

/** What was written while a run works: it is sent when that has ended, also after the page was loaded anew. */
export interface Queued {
  readonly text: string;
  readonly attachments: readonly GivenAttachment[];
  /** Sent under this name, so that two pages that send it start one run. */
  readonly key: string;
}

const none: readonly Queued[] = [];
const listeners = new Set<() => void>();
const kept = new Map<string, { readonly text: string; readonly queued: readonly Queued[] }>();
/** What waits for a conversation to begin, by the name that its page goes by until then. */
const ahead = new Map<string, readonly Queued[]>();

function nameOf(conversation: string): string {
  return `vitrine.queue.${conversation}`;
}

/** The name of a line for a conversation that has not begun: this page alone has it. */
export function newLine(): string {
  const line = `new ${newKey()}`;
  ahead.set(line, none);
  return line;
}

function read(conversation: string): readonly Queued[] {
  const early = ahead.get(conversation);
  if (early) return early;
  const text = localStorage.getItem(nameOf(conversation)) ?? '[]';
  const known = kept.get(conversation);
  if (known?.text === text) return known.queued;
  let queued: readonly Queued[] = [];
  try {
    queued = JSON.parse(text) as readonly Queued[];
  } catch {
    localStorage.removeItem(nameOf(conversation));
  }
  kept.set(conversation, { text, queued });
  return queued;
}

export const queue = {
  add(conversation: string, one: Queued): void {
    write(conversation, [...read(conversation), one]);
  },
  remove(conversation: string, key: string): void {
    write(
      conversation,
      read(conversation).filter((one) => one.key !== key),
    );
  },
  /** The conversation that they wait for has begun: they are its own. */
  begin(line: string, conversation: string): void {
    const early = ahead.get(line) ?? none;
    ahead.set(line, none);
    if (early.length > 0) write(conversation, [...read(conversation), ...early]);
  },
};

function write(conversation: string, queued: readonly Queued[]): void {
  if (ahead.has(conversation)) ahead.set(conversation, queued);
  else if (queued.length === 0) localStorage.removeItem(nameOf(conversation));
  else localStorage.setItem(nameOf(conversation), JSON.stringify(queued));
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  addEventListener('storage', changed);
  return () => {
    listeners.delete(changed);
    removeEventListener('storage', changed);
  };
}

export function useQueue(conversation: string): readonly Queued[] {
  return useSyncExternalStore(subscribe, () => read(conversation));
}

/** A name that nobody else gives. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
