import type { Clock } from '../engine/time/clock.ts';
import { setImmediate as immediate } from 'node:timers/promises';
import { randomUUID, hash } from 'node:crypto';

// What a process takes from the machine it runs on: time, ids, and turns of its loop.

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  worked: workedTime({ elapsed: () => performance.now(), busy }),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      // An already aborted signal never fires again, so it must be looked at, not only listened to.
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(milliseconds, longestTimer));
      signal.addEventListener('abort', end);
    }),
  settle: () => immediate(),
  breather: () => breather(),
};

const tick = 1_000;

/** A loop that is busy looks late; one that was silent for longer than this stood still. Milliseconds. */
const longestSilence = 5_000;

/**
 * Milliseconds in which this process could work. The machine's steady time goes on while the process is stopped and, on
 * some systems, while the machine sleeps; a timer that comes late tells.
 */
export function workedTime({ elapsed, busy: used }: Watches): () => number {
  let seen = elapsed();
  let usedBefore = used();
  let worked = 0;
  let isTicking = false;
  const look = (): number => {
    const now = elapsed();
    const silence = now - seen;
    // A loop that one function has kept all the while was on the processor: that is work.
    worked += silence > longestSilence ? Math.min(silence, Math.max(tick, used() - usedBefore)) : silence;
    seen = now;
    return worked;
  };
  const onTick = (): void => {
    look();
    usedBefore = used();
  };
  return () => {
    if (!isTicking) {
      isTicking = true;
      seen = elapsed();
      setInterval(onTick, tick).unref();
    }
    return look();
  };
}

interface Watches {
  /** Steady milliseconds, since any moment. */
  readonly elapsed: () => number;
  /** Milliseconds in which this thread was on the processor, since any moment. */
  readonly busy: () => number;
}

function busy(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Longer timers fire at once in Node, so that an approval due next month would expire today. */
const longestTimer = 2 ** 31 - 1;

/** Ids that sort by the time they were made. The first 48 bits of a UUID are random, and Node draws many of them at once. */
export function newId(kind: string): string {
  const random = randomUUID();
  return `${kind}_${Date.now().toString(36)}${random.slice(0, 8)}${random.slice(9, 13)}`;
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

let turn = 0;
let isCounting = false;

/** A number that is another one in the next turn of the loop. */
export function loopTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      isCounting = false;
      turn += 1;
    });
  }
  return turn;
}

/** How long work goes on before others get their turn. Milliseconds. */
const spell = 1;
/** So many spells are short work. What is longer stands in line with all long work. */
const shortSpells = 4;

export interface Breathing {
  /** Aborts when nobody waits for it any more: then its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** It is known to be long before it begins. */
  readonly isLong?: boolean;
}

/** Work that may be long asks this between its parts: others are served in between, however long the whole takes. */
export function breather({ signal, isLong = false }: Breathing = {}): () => Promise<void> {
  let since = performance.now();
  let spells = isLong ? shortSpells : 0;
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - since < spell) return;
    spells += 1;
    await (spells <= shortSpells ? soonInTurn() : inTurn());
    signal?.throwIfAborted();
    since = performance.now();
  };
}

/** Milliseconds between two who have long work: at least, and at most. */
const pause = 1;
const longestPause = 20;
/** How long the rest after a part is, beside what it took: at least, and at most while somebody is passing. */
const rest = 2;
const longestRest = 8;
/** Whoever asked something longer ago has no short question. Milliseconds. */
const shortQuestion = 100;

const long: (() => void)[] = [];
const short: (() => void)[] = [];
let isCallingLong = false;
let isCallingShort = false;
/** When whoever asked did so, the first one first. */
const passing = new Set<{ readonly since: number }>();
/** When long work goes on, whoever is passing. */
let latest = 0;

/**
 * Resolves when it is one's turn to go on with long work. Of all such work in the process one part is done in a turn of the
 * loop, and then there is a rest twice as long as that took, or longer while somebody is passing: however many have long
 * work, whoever has a short question waits for one part at most, and most of the time is theirs.
 */
export function inTurn(): Promise<void> {
  return new Promise((resolve) => {
    long.push(resolve);
    if (isCallingLong) return;
    isCallingLong = true;
    latest = performance.now() + longestPause;
    setTimeout(callLong, pause);
  });
}

/** Somebody asked something: long work lets them pass until this is called, or it turns out that it was no short question. */
export function letPass(): () => void {
  const one = { since: performance.now() };
  passing.add(one);
  return () => void passing.delete(one);
}

/** The same for what will soon be over: no rest between two of them, and no waiting for long work. */
export function soonInTurn(): Promise<void> {
  return new Promise((resolve) => {
    short.push(resolve);
    if (isCallingShort) return;
    isCallingShort = true;
    setImmediate(callShort);
  });
}

function callLong(): void {
  if (isSomebodyPassing() && performance.now() < latest) return void setTimeout(callLong, pause);
  const next = long.shift();
  isCallingLong = next !== undefined;
  if (!next) return;
  const began = performance.now();
  next();
  // A timer alone may be served in the very turn that made it, before anybody else.
  setImmediate(() => {
    const now = performance.now();
    const took = now - began;
    latest = now + Math.min(longestRest * took, longestPause);
    setTimeout(callLong, Math.min(Math.max(rest * took, pause), longestPause));
  });
}

function isSomebodyPassing(): boolean {
  const now = performance.now();
  for (const one of passing) {
    if (now - one.since < shortQuestion) return true;
    passing.delete(one);
  }
  return false;
}

function callShort(): void {
  const next = short.shift();
  isCallingShort = next !== undefined;
  if (!next) return;
  setImmediate(callShort);
  next();
}
