import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { misfit } from './schema.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Questions bring schemas of their own, so there is no end to them. */
function useSchemas(count: number): number {
  for (let i = 0; i < count; i += 1) {
    const schema = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };
    expect(misfit(schema, {})).toBe("the whole must have required property 'amount'");
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('schemas that nobody uses any more leave nothing behind', () => {
  const before = useSchemas(300);
  const grown = useSchemas(1_200) - before;
  expect(grown).toBeLessThan(3_000_000);
});
