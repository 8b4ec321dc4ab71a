import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import type { Question, Usage } from './plan.ts';

let promises = 0;
const counting = createHook({
  init(_, type) {
    if (type === 'PROMISE') promises += 1;
  },
});

/** Answer questions about what this process has used. `mark` is the file in which its store counts commits. */
export function answering(mark?: string): void {
  process.on('message', (question: Question) => {
    if (question === 'collect') globalThis.gc?.();
    if (question === 'count promises') counting.enable();
    else if (question === 'usage') counting.disable();
    process.send?.(usage(mark));
  });
}

function usage(mark: string | undefined): Usage {
  const { user, system } = process.cpuUsage();
  const io = readFileSync('/proc/self/io', 'latin1');
  return {
    cpu: user + system,
    written: Number(/^write_bytes: (\d+)/m.exec(io)?.[1]),
    resident: process.memoryUsage.rss(),
    commits: mark === undefined ? 0 : Number(readFileSync(mark, 'latin1').slice(0, 16)),
    promises,
  };
}
