// npm run bench -- store fold: runs the named benches, or all there are.
import { globSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename } from 'node:path';

const known = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'main')
  .toSorted();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !known.includes(name));

if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are: ${known.join(', ')}.`);
  process.exit(2);
}

console.log(`${machine()}\n`);
for (const name of asked.length > 0 ? asked : known) {
  console.log(`── ${name}`);
  await run(name);
  console.log('');
}

/** Each module exports one function that measures and prints: `storeBench` for `store`, `firstByteBench` for `first-byte`. */
async function run(name: string): Promise<void> {
  const module = (await import(`./${name}.ts`)) as Readonly<Record<string, unknown>>;
  const bench = module[`${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Bench`];
  if (typeof bench !== 'function') throw new TypeError(`bench/${name}.ts exports no function for its bench`);
  await bench();
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpu?.model}, ${memory} GB`;
}
