import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultsOf, type Packages } from '../scripts/lockfile.ts';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Packages };
const own = JSON.parse(readFileSync('package.json', 'utf8')) as {
  allowScripts: Readonly<Record<string, boolean>>;
};
const place = 'node_modules/zod';
const zod = packages[place];

test('[S56] [S57] [S59] what is committed has nothing of all this, and one package may run a script', () => {
  expect(zod).toBeDefined();
  expect(Object.keys(packages).length).toBeGreaterThan(200);
  expect(faultsOf(packages, Object.keys(own.allowScripts))).toEqual([]);
  expect(own.allowScripts).toEqual({ node: true });
});

test('[S57] [S59] what a bench fetches for itself is named as exactly, and is no part of `npm ci`', () => {
  const peers = JSON.parse(readFileSync('bench/peers/package-lock.json', 'utf8')) as { packages: Packages };
  expect(Object.keys(peers.packages).length).toBeGreaterThan(100);
  expect(faultsOf(peers.packages, 'none is run')).toEqual([]);
  expect(faultsOf(peers.packages, []), 'scripts that are not run').not.toEqual([]);
  expect(Object.keys(packages).filter((name) => name.startsWith('bench/'))).toEqual([]);
});

const tampering: readonly (readonly [string, Packages, RegExp])[] = [
  [
    '[S57] an address of its own',
    { ...packages, [place]: { ...zod, resolved: 'https://elsewhere.example/zod.tgz' } },
    /^node_modules\/zod names an address/,
  ],
  [
    '[S57] a package from a repository',
    { ...packages, [place]: { version: '4.0.0', resolved: 'git+ssh://git@elsewhere.example/zod.git#main' } },
    /^node_modules\/zod (names an address|has no sha512)/,
  ],
  [
    '[S57] nothing to check it by',
    { ...packages, [place]: { ...zod, integrity: '' } },
    /^node_modules\/zod has no sha512/,
  ],
  [
    '[S57] a weak hash',
    { ...packages, [place]: { ...zod, integrity: 'sha1-iFmvXs0jvjhJYJOuUqmC8ZbtqBA=' } },
    /^node_modules\/zod has no sha512/,
  ],
  [
    '[S56] a script that runs when it is installed',
    { ...packages, [place]: { ...zod, hasInstallScript: true } },
    /^node_modules\/zod runs a script/,
  ],
  [
    '[S59] a package that others need and nobody has',
    Object.fromEntries(Object.entries(packages).filter(([name]) => name !== place)),
    /needs zod/,
  ],
];

test.for(tampering)('%s is found', ([, changed, fault]) => {
  const faults = faultsOf(changed, Object.keys(own.allowScripts));
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.filter((found) => !fault.test(found))).toEqual([]);
});
