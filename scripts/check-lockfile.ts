import { readFileSync } from 'node:fs';
import { faultsOf, type Packages } from './lockfile.ts';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Packages };
const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  allowScripts: Readonly<Record<string, boolean>>;
};
const faults = faultsOf(packages, Object.keys(allowScripts));
if (faults.length > 0) {
  console.error(`package-lock.json is not usable in a fresh clone:\n${faults.join('\n')}`);
  process.exit(1);
}
