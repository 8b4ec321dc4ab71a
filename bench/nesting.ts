// What a token costs on the native wire of a server behind which there are four more, over three protocols.
import { fiveLevels, processChain } from '../test/chain/processes.ts';
import { toldAt } from '../test/chain/told.ts';

const few = 2_000;
const many = 4_000;
const mostPerToken = 150;
const mostGrowth = 2.1;

export async function nestingBench(): Promise<void> {
  const chain = await processChain();
  try {
    await toldAt(chain.root, 20);
    const [one, other] = [
      await toldAt(chain.root, few, ' slowly'),
      await toldAt(chain.root, many, ' slowly'),
    ];
    const growth = other.bytes / one.bytes;
    console.log(
      `nesting: ${fiveLevels.length + 1} levels, each a process, over ${fiveLevels.join(' → ')} (the inmost first)`,
    );
    for (const [tokens, { bytes }] of [
      [few, one],
      [many, other],
    ] as const)
      console.log(
        `  ${tokens} tokens: ${bytes} bytes, ${(bytes / tokens).toFixed(1)} each (at most ${mostPerToken})`,
      );
    console.log(`  ${many} over ${few}: ${growth.toFixed(3)} times (at most ${mostGrowth})`);
  } finally {
    await chain.close();
  }
}
