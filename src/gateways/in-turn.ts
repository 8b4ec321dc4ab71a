/** Milliseconds between two of those who wait. */
const pause = 1;

const waiting: (() => void)[] = [];

/**
 * Resolves when it is one's turn to go on with long work. Of all such work in the process one part is done in a turn of the
 * loop: however many have long work, whoever has a short question waits for one part and not for one of each.
 */
export function inTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) callNext();
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) callNext();
}

/** A timer alone may be served in the very turn that made it, before anybody else. */
function callNext(): void {
  setImmediate(() => setTimeout(next, pause));
}
