// A tool that never listens: it says who it is and then spins.
import { threadId } from 'node:worker_threads';

export function spin(_: unknown, context: { say(text: string): void }): never {
  context.say(`${process.pid}/${threadId}`);
  for (;;);
}
