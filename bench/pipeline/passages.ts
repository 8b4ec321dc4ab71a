// What a query costs in a conversation with ten times the documents.
import { documentShelves, type DocumentShelves } from '../../src/tools/documents/shelves.ts';
import { Chance } from '../../test/random.ts';

const documents = 10;
const rounds = 200;
const { signal } = new AbortController();

export async function passageRows(): Promise<void> {
  const shelves = documentShelves();
  await fill(shelves, 'few', documents);
  await fill(shelves, 'many', 10 * documents);
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < rounds; round += 1)
    for (const shelf of ['few', 'many'] as const) {
      const begun = performance.now();
      shelves.search(shelf, `topic${round % 50} valve`, 10);
      times[shelf].push(performance.now() - begun);
    }
  const [few, many] = [median(times.few), median(times.many)];
  console.log(`Passages: a query among ${documents} and ${10 * documents} documents of 20 sections`);
  console.log(
    `  ${few.toFixed(3)} ms, ${(many / few).toFixed(2)} of that with ten times as many (at most 2)`,
  );
}

async function fill(shelves: DocumentShelves, shelf: string, count: number): Promise<void> {
  const chance = new Chance(1);
  for (let i = 0; i < count; i += 1) {
    const sections = Array.from({ length: 20 }, (_, at) => {
      const words = Array.from({ length: 60 }, () => `word${chance.between(1, 3_000)}`).join(' ');
      return `## Section ${at}\n\ntopic${(i * 20 + at) % (count * 20)} ${i === 0 && at === 0 ? 'valve ' : ''}${words}.`;
    });
    const bytes = Buffer.from(`# Document ${i}\n\n${sections.join('\n\n')}`);
    await shelves.put(shelf, { file: `f${i}`, name: `d${i}.md`, bytes }, { tenant: 't', signal });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
