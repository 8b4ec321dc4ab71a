// Builds the web app where its sources are others than those of the last build: after `npm ci`, before `npm start`, before
// tests, and for the package. What is up to date costs a few milliseconds.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exportedPage } from './exported-page.ts';

const root = resolve(import.meta.dirname, '..');
const built = join(root, 'web/dist');
const stamp = join(built, '.sources');
const sources = [
  'web/{index.html,exported.html,package.json,vite.config.ts}',
  'scripts/{build-web,exported-page}.ts',
  'web/src/**/*',
  'src/{run,wire,client,react,graph,schema}/**/*',
];

export async function buildWeb(): Promise<void> {
  const now = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return;
  const { build } = await import('vite');
  const outDir = `${built}-${process.pid}`;
  const { NODE_ENV } = process.env;
  // A test has another environment, and what is built in it would be React for those who develop.
  process.env['NODE_ENV'] = 'production';
  try {
    const configFile = join(root, 'web/vite.config.ts');
    await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
    writeFileSync(join(outDir, 'exported.html'), await exportedPage(join(root, 'web')));
  } catch (thrown) {
    rmSync(outDir, { recursive: true, force: true });
    throw thrown;
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
  writeFileSync(join(outDir, '.sources'), now);
  // Whoever reads it meanwhile has the old one or the new one, whole.
  rmSync(built, { recursive: true, force: true });
  renameSync(outDir, built);
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const path of globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted())
    hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex');
}

if (import.meta.main) await buildWeb();
