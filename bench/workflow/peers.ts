// Others that run graphs durably, each in a process of its own: what a node of a chain costs them. Their packages are no part of
// the project; they are fetched when this bench is run.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Chain {
  readonly nodes: number;
  readonly runs: number;
}

export interface Peer {
  readonly name: string;
  readonly script: string;
}

const folder = fileURLToPath(new URL('../peers/', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

export const peers: readonly Peer[] = [
  {
    name: `LangGraph.js ${dependencies['@langchain/langgraph']}, its SQLite saver over node:sqlite`,
    script: 'langgraph.mjs',
  },
  {
    name: `Mastra ${dependencies['@mastra/core']}, its libSQL store`,
    script: 'mastra.mjs',
  },
];

/** Whether they are there; installs what the lockfile says. Why not is told. */
export function fetchPeers(): boolean {
  const [lockfile, installed] = [`${folder}package-lock.json`, `${folder}node_modules/.fetched`];
  const wanted = readFileSync(lockfile, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return true;
  console.log('fetching the peers into bench/peers/node_modules (230 MB) …');
  const { status, stderr, error } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 600_000,
  });
  if (status === 0) {
    writeFileSync(installed, wanted);
    return true;
  }
  const why = error?.message ?? stderr.trim().split('\n')[0];
  console.log(`  NO PEERS: they cannot be fetched here (${why}), so nothing is compared.`);
  return false;
}

/** CPU microseconds of a node, all threads of its process together. */
export function costOf({ script }: Peer, chain: Chain): number {
  const told = execFileSync(process.execPath, [`${folder}${script}`, JSON.stringify(chain)], {
    encoding: 'utf8',
    timeout: 600_000,
  });
  return (JSON.parse(told) as { readonly cost: number }).cost;
}
