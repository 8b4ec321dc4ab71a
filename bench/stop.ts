// How long a stop takes against a tool that never listens, three levels deep.
import { stopOnce } from '../test/stop/stops.ts';

const stops = 100;
const target = 1_000;

export async function stopBench(): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < stops; i += 1) times.push((await stopOnce()).milliseconds);
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    `${(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)} ms`;
  console.log(`\nstop: from asking to the end of the run, ${stops} stops of a busy loop three levels deep`);
  console.log(`  p50 ${at(0.5)}   p99 ${at(0.99)}   target for p99: ${target} ms`);
}
