// What one tenant can do to another: a hostile model, a hostile MCP server and a hostile key at once.
import { hostile } from '../test/hostile/scene.ts';

export async function hostileBench(): Promise<void> {
  const { alone, disturbed, faults, asked, peak, attack, ends } = await hostile({
    seconds: 20,
    megabytes: 48,
    heap: 768,
  });
  console.table({ alone: rounded(alone), disturbed: rounded(disturbed) });
  console.log(`the other tenant: ${asked} requests, ${faults.length} not answered as they should be`);
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
  console.log(
    `the hostile one: ${attack.answers} answers, ${attack.refused} refused, ${attack.broken} broken; runs ${ends.join(', ')}`,
  );
  console.log(`memory: at most ${Math.round(peak / 1e6)} MB`);
  console.log(`p99 disturbed / alone: ${(disturbed.p99 / alone.p99).toFixed(1)} (target 2)`);
}

function rounded({ p50, p99 }: { readonly p50: number; readonly p99: number }): object {
  return { 'p50 ms': Math.round(p50 * 10) / 10, 'p99 ms': Math.round(p99 * 10) / 10 };
}
