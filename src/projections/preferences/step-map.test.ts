import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyMap, valueAt, withoutValue, withValue, type StepMap } from './step-map.ts';

const change = fc.record({
  id: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 2_000 }), fc.nat({ max: 5_000_000 })),
  value: fc.option(fc.nat(), { nil: undefined }),
});

test('a map holds what was last put into it, and nothing that was taken out', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80, size: 'max' }), (changes) => {
      const expected = new Map<number, number>();
      let map: StepMap<number> = emptyMap();
      for (const { id, value } of changes) {
        if (value === undefined) expected.delete(id);
        else expected.set(id, value);
        map = value === undefined ? withoutValue(map, id) : withValue(map, id, value);
      }
      for (const { id } of changes) expect(valueAt(map, id)).toBe(expected.get(id));
    }),
    { numRuns: 300 },
  );
});

test('a change leaves the map it was made from as it was', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), change, (changes, { id, value = 0 }) => {
      let map: StepMap<number> = emptyMap();
      for (const each of changes) map = withValue(map, each.id, each.value ?? 1);
      const before = structuredClone(map);
      withValue(map, id, value);
      for (const each of changes) withoutValue(map, each.id);
      expect(map).toEqual(before);
    }),
  );
});

test('what was taken out leaves nothing behind', () => {
  let map: StepMap<number> = emptyMap();
  for (let id = 0; id < 5_000; id += 1) map = withValue(map, id, id);
  for (let id = 0; id < 5_000; id += 1) map = withoutValue(map, id);
  expect(map.root).toEqual({ values: [] });
  expect(valueAt(withValue(map, 3, 7), 3)).toBe(7);
});
