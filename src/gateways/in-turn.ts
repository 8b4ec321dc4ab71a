/** Milliseconds between two of those who wait: at least, and at most. */
const pause = 1;
const longestPause = 20;

const waiting: (() => void)[] = [];
let isCalling = false;

/**
 * Resolves when it is one's turn to go on with long work. Of all such work in the process one part is done in a turn of the
 * loop, and then there is a rest for as long as that took: however many have long work, whoever has a short question waits
 * for one part and not for one of each, and half of the time is theirs.
 */
export function inTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isCalling) return;
    isCalling = true;
    setTimeout(callNext, pause);
  });
}

function callNext(): void {
  const next = waiting.shift();
  isCalling = next !== undefined;
  if (!next) return;
  const began = performance.now();
  next();
  // A timer alone may be served in the very turn that made it, before anybody else.
  setImmediate(() => {
    const took = performance.now() - began;
    setTimeout(callNext, Math.min(Math.max(took, pause), longestPause));
  });
}
