import { expect, test } from 'vitest';
import { Chance } from './random.ts';
import { generatedSecrets, tracesOf } from './secrets.ts';
import { Traces } from './traces.ts';

test('every trace is found wherever it stands, also where they overlap, and nothing else is', () => {
  const secrets = generatedSecrets(200);
  const traces = new Traces(secrets.flatMap(tracesOf));
  const chance = new Chance(1);
  for (const secret of secrets) {
    const before = 'é'.repeat(chance.between(0, 9));
    for (const trace of tracesOf(secret)) expect(traces.in(`${before}${trace}`)).toContain(trace);
    expect(traces.in(Buffer.from(`${before}${secret.slice(0, -1)}\0${secret}`))).toContain(secret);
    expect(traces.in(`${secret.slice(0, 7)} ${secret.slice(-7)}`)).toEqual([]);
  }
  expect(new Traces(['abcab', 'cabca']).in('xabcabcab')).toEqual(['abcab', 'cabca', 'abcab']);
});
