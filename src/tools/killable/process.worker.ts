import type { Job } from './job.ts';
import { startThread } from './thread.ts';

// The function runs in a thread of this process, so that this one stays free to notice that the parent is gone. A busy
// loop here would outlive a killed server.
process.once('disconnect', die);
process.once('message', (job: Job) => {
  startThread(job, process.env, {
    message: (text) => process.send?.(text),
    ended: (failure) => process.send?.(JSON.stringify({ kind: 'failed', failure })),
  });
});
if (!process.connected) die();

function die(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}
