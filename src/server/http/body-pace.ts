import type { IncomingMessage } from 'node:http';

/** So much of what one sends is read as fast as it comes; from then on so many bytes a second. */
const atOnce = 64 * 1024 * 1024;

const steady = 8 * 1024 * 1024;

/** What is shorter is never waited for. Bytes. */
export const smallBody = 64 * 1024;

/** A shorter wait is no wait. Milliseconds. */
const least = 5;

/** Beyond so many senders those who owe nothing are forgotten. */
const remembered = 10_000;

export type BodyPace = (request: IncomingMessage, sender: () => string) => void;

/**
 * Whoever sends without end is read slowly, also where all of it is refused: to read is to make garbage, and everybody waits while
 * it is collected. Nothing of the body is read before somebody asks for it.
 */
export function bodyPace(now: () => number = () => performance.now()): BodyPace {
  /** When all that was read of a sender would have been read at the steady rate. */
  const readUntil = new Map<string, number>();
  const waitAfter = (sender: string, bytes: number): number => {
    const at = now();
    const until = Math.max(readUntil.get(sender) ?? 0, at) + (bytes / steady) * 1_000;
    if (readUntil.size >= remembered)
      for (const [one, paid] of readUntil) if (paid <= at) readUntil.delete(one);
    readUntil.set(sender, until);
    return until - at - (atOnce / steady) * 1_000;
  };
  return (request, sender) => {
    request.pause();
    request.on('data', ({ length }: Buffer) => {
      const wait = waitAfter(sender(), length);
      if (wait < least) return;
      request.pause();
      setTimeout(() => request.resume(), wait);
    });
  };
}
