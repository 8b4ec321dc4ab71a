import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEvent } from '../../test/arbitraries.ts';
import { upcast } from './upcast.ts';

test('[F24] an event of a kind this version knows is taken as it is', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      fc.pre(event.type !== 'unknown');
      expect(upcast(event)).toBe(event);
    }),
  );
});

const strange = [
  { stored: { type: 'step.dreamt', step: 1 }, kind: 'step.dreamt' },
  { stored: { type: 'unknown', kind: 'x', original: 1 }, kind: 'unknown' },
  { stored: { type: 'constructor' }, kind: 'constructor' },
  { stored: { type: '' }, kind: '' },
  { stored: { type: 7 }, kind: 'nameless' },
  { stored: {}, kind: 'nameless' },
  { stored: [], kind: 'nameless' },
  { stored: 'text.appended', kind: 'nameless' },
  { stored: 7, kind: 'nameless' },
  { stored: null, kind: 'nameless' },
];
test.for(strange)('[F24] [R55] $stored is kept whole, as unknown', ({ stored, kind }) => {
  expect(upcast(stored)).toEqual({ type: 'unknown', kind, original: stored });
});

test('[F24] nothing at all is kept as null', () => {
  expect(upcast(undefined)).toEqual({ type: 'unknown', kind: 'nameless', original: null });
});
