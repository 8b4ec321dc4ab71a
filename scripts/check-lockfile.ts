import { readFileSync } from 'node:fs';
import { faultsOf, type Packages } from './lockfile.ts';

/** The product's own, and that of the peers of a bench, which are installed without running any script. */
const lockfiles = [
  { file: 'package-lock.json', mayRunScripts: allowedIn('package.json') },
  { file: 'bench/peers/package-lock.json', mayRunScripts: 'none is run' },
] as const;

for (const { file, mayRunScripts } of lockfiles) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages };
  const faults = faultsOf(packages, mayRunScripts);
  if (faults.length === 0) continue;
  console.error(`${file} is not usable in a fresh clone:\n${faults.join('\n')}`);
  process.exitCode = 1;
}

function allowedIn(file: string): readonly string[] {
  const { allowScripts } = JSON.parse(readFileSync(file, 'utf8')) as {
    allowScripts: Readonly<Record<string, boolean>>;
  };
  return Object.keys(allowScripts);
}
