import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test.for(['a2ui', 'native', 'two-stage'])(
  '[TS12] the client that docs/protocols/%s.md shows is one that compiles',
  (name) => {
    const shown = /```ts\n(.*?)```/s.exec(readFileSync(`docs/protocols/${name}.md`, 'utf8'))?.[1];
    expect(shown).toBe(readFileSync(`examples/clients/${name}.ts`, 'utf8'));
  },
);
