import { basename, dirname, join } from 'node:path/posix';
import { moduleFacts, type Import, type Source } from './module-facts.ts';

interface Place {
  /** A folder of `src`, or a top folder beside it. */
  readonly folder: string;
  readonly isPort: boolean;
}

const ports = {
  stores: 'src/stores/store.ts',
  policies: 'src/policies/policy.ts',
  gateways: 'src/gateways/gateway.ts',
  tools: 'src/tools/tool.ts',
  /** What is told, and what is asked for. */
  projections: ['src/projections/projection.ts', 'src/projections/door.ts'],
} as const;
const portFiles: readonly string[] = Object.values(ports).flat();

/** Who may import whom. A name with a slash is one file; `ports` are the port files. */
const table: Readonly<Record<string, readonly string[]>> = {
  run: [],
  wire: [],
  'wire/native': ['run'],
  loop: ['src/engine/time/clock.ts'],
  catalog: ['run', 'ports', 'src/guards/guard-settings.ts'],
  schema: ['run'],
  graph: ['run', 'schema'],
  stores: ['run'],
  policies: ['run'],
  guards: ['run', 'schema'],
  gateways: ['run', 'wire', 'catalog', 'loop'],
  tools: ['run', 'wire', 'catalog', 'schema'],
  engine: ['run', 'catalog', 'schema', 'guards', 'ports'],
  flows: ['run', 'wire', 'catalog', 'graph', 'guards', 'schema', 'src/engine/scope.ts'],
  projections: ['run', 'wire'],
  front: ['run', 'wire', 'guards', 'engine', 'ports'],
  worker: ['run', 'engine', 'ports'],
  server: [
    'run',
    'wire',
    'wire/native',
    'catalog',
    'graph',
    'loop',
    'guards',
    'engine',
    'flows',
    'front',
    'worker',
    'ports',
    'src/stores/blob-name.ts',
  ],
  client: ['run', 'wire', 'wire/native'],
  program: ['run', 'wire/native', 'client', 'server', 'src/engine/world.ts'],
  cli: ['run', 'wire', 'wire/native', 'loop', 'client', 'front', 'server'],
  demo: ['wire', 'src/index.ts'],
  react: ['run', 'client'],
  web: ['run', 'wire', 'wire/native', 'client', 'react', 'graph'],
};

/** Where concrete adapters are named: where the product is put together, and where it is published. */
const entries = ['src/index.ts', 'src/testing.ts'];
const parts = [
  'compose',
  'protocols',
  'open-reader',
  'whole-folder',
  'showing',
  'agents',
  'assistant',
  'tools',
  'backup',
  'trace',
  'open-store',
  'shared-in',
  'store-pins',
  'uploads',
];
const composers = [...parts.map((part) => `src/server/compose/${part}.ts`), ...entries];
const pure = [
  'run',
  'graph',
  'wire',
  'wire/native',
  'catalog',
  'policies',
  'guards',
  'projections',
  'client',
];
/** What else a pure folder may use: it runs in a browser, too. */
const beside: Readonly<Record<string, readonly string[]>> = { graph: ['@marcbachmann/cel-js', 'croner'] };
/** All but the client: it comes back after a while, by the clock of whoever uses it. */
const timeless = [...pure.filter((folder) => folder !== 'client'), 'engine', 'flows', 'front', 'worker'];
/** What is made of the pure folders, for a browser alone: with React, and with its clock. */
const browsers = ['react', 'web'];
const vague = /^(utils?|helpers?|common|types|manager)$/;

/** What is wrong with a file, each in a sentence. `packages` are those the product depends on. */
export function violations(source: Source, packages: readonly string[]): string[] {
  const { path } = source;
  const faults = nameFaults(path);
  const place = placeOf(path);
  if (!place || /\.(test|contract)\.tsx?$/.test(path)) return faults;
  if (!(place.folder in table) && place.folder !== 'entry') {
    return [...faults, `${path} is in a folder that is not in the table: ${place.folder}`];
  }
  const { imports, clocks } = moduleFacts(source);
  for (const use of imports) {
    const fault = importFault(path, place, { ...use, packages });
    if (fault) faults.push(`${path} ${fault}`);
  }
  if (timeless.includes(place.folder) && !path.endsWith('.worker.ts')) {
    faults.push(...clocks.map((clock) => `${path} uses ${clock}: time and randomness are passed in`));
  }
  return faults;
}

function nameFaults(path: string): string[] {
  const faults = [];
  const name = basename(path).replace(/(\.[a-z]+)?\.tsx?$/, '');
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) faults.push(`${path} is not named in kebab-case`);
  const word = path.split(/[-/.]/).find((piece) => vague.test(piece));
  if (word) faults.push(`${path} says «${word}», which says nothing: name the one thing it holds`);
  if (name === 'index' && path !== 'src/index.ts')
    faults.push(`${path} is an index; there is one, src/index.ts`);
  return faults;
}

function placeOf(path: string): Place | undefined {
  const [top = '', folder = ''] = path.split('/');
  const own = path.startsWith('src/wire/native/') ? 'wire/native' : folder;
  const name = top === 'src' ? (entries.includes(path) ? 'entry' : own) : top;
  if (top !== 'src' && !(top in table)) return undefined;
  return { folder: name, isPort: portFiles.includes(path) };
}

type Use = Import & { readonly packages: readonly string[] };

function importFault(path: string, place: Place, use: Use): string | undefined {
  if (use.name === undefined) {
    return timeless.includes(place.folder) ? 'imports something computed, which nobody can check' : undefined;
  }
  return use.name.startsWith('.')
    ? insideFault(path, place, join(dirname(path), use.name))
    : outsideFault(path, place, { ...use, name: use.name });
}

function insideFault(path: string, { folder, isPort }: Place, target: string): string | undefined {
  const home = placeOf(target);
  const refusal = `imports ${target}`;
  if (!home || /\.(test|contract)\.ts$/.test(target)) return `${refusal}, which is not part of the product`;
  const isOfPort = home.folder === 'run' || (home.isPort && home.folder === folder);
  if (isPort) return isOfPort ? undefined : `${refusal}, but a port file imports run only`;
  const allowed = table[folder] ?? [];
  if (home.folder === folder || allowed.includes(target)) return undefined;
  if (home.folder in ports && !home.isPort) {
    return composers.includes(path) ? undefined : `${refusal}, an adapter, which only compose.ts may name`;
  }
  if (folder === 'entry') return undefined;
  if (allowed.includes(home.folder)) return undefined;
  if (home.isPort && (allowed.includes('ports') || composers.includes(path))) return undefined;
  return `${refusal}, but ${folder} may import ${allowed.join(', ') || 'nothing'}`;
}

function outsideFault(
  path: string,
  { folder, isPort }: Place,
  use: Use & { name: string },
): string | undefined {
  const isBuiltIn = use.name.startsWith('node:');
  const isPure = pure.includes(folder) || isPort;
  if ((isPure || browsers.includes(folder)) && isBuiltIn)
    return `imports ${use.name}, which a browser does not have`;
  if (isPure && use.name !== 'zod' && !beside[folder]?.includes(use.name) && !use.isType)
    return `imports ${use.name}, but ${folder} uses zod only`;
  if (timeless.includes(folder) && use.name.startsWith('node:timers'))
    return `imports ${use.name}: no timers`;
  if (isBuiltIn || !path.startsWith('src/')) return undefined;
  const name = use.name.split('/', use.name.startsWith('@') ? 2 : 1).join('/');
  return use.packages.includes(name) ? undefined : `imports ${name}, which is not in the dependencies`;
}
