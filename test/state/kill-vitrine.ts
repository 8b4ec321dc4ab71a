import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AgentProcess } from './agent-process.ts';
import type { Beginning } from './vitrine-process.ts';

const victim = fileURLToPath(new URL('./vitrine-process.ts', import.meta.url));

/** Begins a run in a process that is killed once the agent has heard the message; gives the run. */
export async function killVitrine(beginning: Beginning, agent: AgentProcess): Promise<string> {
  const before = (await agent.log()).length;
  await agent.hold();
  const child = spawn(process.execPath, [victim, JSON.stringify(beginning)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [run] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  await agent.log(before + 1);
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
  // What it answers goes nowhere; what it keeps it has kept.
  await agent.release();
  return run.trim();
}
