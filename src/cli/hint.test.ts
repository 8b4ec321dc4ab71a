import { afterEach, expect, test, vi } from 'vitest';
import { hint } from './hint.ts';

afterEach(() => void vi.unstubAllEnvs());

const given = (options: Readonly<Record<string, string>> = {}) => ({
  words: [],
  text: (option: string) => options[option],
  texts: () => [],
  flag: () => false,
});

test.for([
  ['a shell', undefined, undefined, 'vitrine runs'],
  ['a checkout', 'vitrine', 'vitrine', 'npm run vitrine -- runs'],
  ['npm start in a checkout', 'start', 'vitrine', 'npm run vitrine -- runs'],
  ['npx', 'npx', undefined, 'npx vitrine runs'],
  ['npx in a checkout', 'npx', 'vitrine', 'npx vitrine runs'],
  ['a script of another project', 'start', 'own-app', 'npx vitrine runs'],
] as const)('a hint in %s is what can be typed there', ([, event, name, expected]) => {
  vi.stubEnv('npm_lifecycle_event', event);
  vi.stubEnv('npm_package_name', name);
  expect(hint(given(), 'runs')).toBe(expected);
});

test('a hint names the same place', () => {
  vi.stubEnv('npm_lifecycle_event', undefined);
  expect(hint(given({ data: "it's" }), 'runs')).toBe(`vitrine runs --data 'it'\\''s'`);
  expect(hint(given({ server: 'http://host:1' }), 'runs')).toBe('vitrine runs --server http://host:1');
});
