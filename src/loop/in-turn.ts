/** Milliseconds between two who have long work: at least, and at most. */
const pause = 1;
const longestPause = 20;
/** How long the rest after a part is, beside what it took. */
const rest = 2;

const long: (() => void)[] = [];
const short: (() => void)[] = [];
let isCallingLong = false;
let isCallingShort = false;

/**
 * Resolves when it is one's turn to go on with long work. Of all such work in the process one part is done in a turn of the
 * loop, and then there is a rest twice as long as that took: however many have long work, whoever has a short question waits
 * for one part and not for one of each, and most of the time is theirs.
 */
export function inTurn(): Promise<void> {
  return new Promise((resolve) => {
    long.push(resolve);
    if (isCallingLong) return;
    isCallingLong = true;
    setTimeout(callLong, pause);
  });
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
  const next = long.shift();
  isCallingLong = next !== undefined;
  if (!next) return;
  const began = performance.now();
  next();
  // A timer alone may be served in the very turn that made it, before anybody else.
  setImmediate(() => {
    const took = performance.now() - began;
    setTimeout(callLong, Math.min(Math.max(rest * took, pause), longestPause));
  });
}

function callShort(): void {
  const next = short.shift();
  isCallingShort = next !== undefined;
  if (!next) return;
  setImmediate(callShort);
  next();
}
