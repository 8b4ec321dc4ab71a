import { setTimeout } from 'node:timers/promises';

/** Waits, and rejects as soon as the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const realSleep: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal });
