// What one tenant can do to another: a hostile model, a hostile MCP server and a hostile key at once.
import { hostile, type Phase } from '../test/hostile/scene.ts';

export async function hostileBench(): Promise<void> {
  const scene = await hostile({ seconds: 20, megabytes: 48, heap: 768 });
  const { alone, disturbed, beside, shares, faults, asked, peak, attack, rest, ends } = scene;
  console.table({ alone: row(alone), disturbed: row(disturbed), 'same load elsewhere': row(beside) });
  console.log(`the other tenant: ${asked} requests, ${faults.length} not answered as they should be`);
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`);
  console.log(
    `the hostile one: ${attack.answers} answers, ${attack.refused} refused, ${attack.broken} broken; runs ${ends.join(', ')}`,
  );
  const [key = 0, model = 0, tools = 0] = shares.map((share) => Math.round(share * 100));
  console.log(
    `processor used by the hostile processes: key ${key} %, model ${model} %, MCP server ${tools} %`,
  );
  console.log(`at rest ${(rest / 1_000).toFixed(1)} s after the last of them had left`);
  console.log(`memory: at most ${Math.round(peak / 1e6)} MB`);
  const against = ({ times }: Phase): string => (disturbed.times.p99 / times.p99).toFixed(1);
  console.log(
    `p99 disturbed / same load elsewhere: ${against(beside)} (target 2); / alone: ${against(alone)}`,
  );
}

function row({ times, blocks, during }: Phase): object {
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  return {
    'p50 ms': rounded(times.p50),
    'p99 ms': rounded(times.p99),
    'longest ms': rounded(times.longest),
    'longest block ms': rounded(blocks.wall),
    'of own work ms': rounded(blocks.worked),
    'work during a request p50 ms': rounded(during.p50),
    'p99 of it ms': rounded(during.p99),
  };
}
