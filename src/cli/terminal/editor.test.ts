import { expect, test } from 'vitest';
import { editOutside } from './editor.ts';

test('[V263] an editor that is left without saving has changed nothing', () => {
  expect(editOutside('true', { to: 'bo' })).toEqual({ problem: 'Nothing was changed.' });
  expect(editOutside(`sh -c 'echo "{}" > "$1"' sh`, { to: 'bo' })).toEqual({ value: {} });
});
