import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export const isWindows = process.platform === 'win32';

/** Milliseconds a server has to end by itself, and again after it was told to. */
const grace = 1000;

/** End a child and all it started: let it finish by itself, then ask it to, then kill what is left. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (!(await hasEnded(child))) {
    signalGroup(child, 'SIGTERM');
    await hasEnded(child);
  }
  signalGroup(child, 'SIGKILL');
  await hasEnded(child);
}

async function hasEnded(child: ChildProcess): Promise<boolean> {
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  if (!isOver()) await once(child, 'exit', { signal: AbortSignal.timeout(grace) }).catch(() => undefined);
  return isOver();
}

/** A group keeps its number while one of it lives, so nobody else is hit. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // Nobody is left to get it.
  }
}
