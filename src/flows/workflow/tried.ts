import { RunError } from '../../run/failure.ts';
import type { DoNode } from './part.ts';
import type { AtWork, Done } from './sight.ts';

/** A node that may be tried again, is, each time in a step of its own, after a pause. */
export async function tried(at: AtWork, doNode: DoNode): Promise<Done> {
  const { scope, node } = at;
  const { times = 0, pause = 0 } = node.retry ?? {};
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (attempt === 1) return await doNode(at);
      const title = `Try ${attempt}`;
      return await scope.step({ key: `~${attempt}`, kind: 'try', title }, (inner) =>
        doNode({ ...at, scope: inner }),
      );
    } catch (thrown) {
      if (attempt > times || !mayHelp(thrown)) throw thrown;
    }
    if (pause > 0) await paused(at, attempt, pause);
  }
}

/** What people refused, and what nothing is left for, is the same the next time. */
function mayHelp(thrown: unknown): boolean {
  if (!(thrown instanceof RunError)) return false;
  const { code } = thrown.failure;
  return code !== 'refused' && code !== 'over-budget';
}

/** When it was opened is recorded, and so is what it waits for. */
function paused({ scope }: AtWork, attempt: number, pause: number): Promise<unknown> {
  return scope.step({ key: `pause ${attempt}`, kind: 'pause', title: 'Pause' }, (inner) =>
    inner.wait({ until: inner.openedAt + pause * 1_000 }),
  );
}
