import { expect, test } from 'vitest';
import { Secrets } from '../../guards/secrets.ts';
import { jsonTexts } from './json-parts.ts';

const secret = 'a secret that must not pass';
const block = 64 * 1024;

async function texts(parts: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  return Array.fromAsync(jsonTexts(parts, new Secrets([secret])));
}

test('[X26] one long text goes out in blocks, and a secret across two of them does not', async () => {
  for (const before of [block - 20, block - 40, 2 * block - 30]) {
    const told = await texts({ steps: [{ text: 'x'.repeat(before) + secret + 'y'.repeat(block) }] });
    expect(Math.max(...told.map(({ length }) => length))).toBeLessThan(block + secret.length);
    const text = `${'x'.repeat(before)}[redacted]${'y'.repeat(block)}`;
    expect(JSON.parse(told.join(''))).toEqual({ steps: [{ text }] });
  }
});

test('[X26] no block ends within a character', async () => {
  const text = '😀'.repeat(block);
  for (const shift of ['', 'x']) {
    const told = await texts({ [`${shift}a`]: text });
    expect(told.every((each) => each.isWellFormed())).toBe(true);
    expect(JSON.parse(told.join(''))).toEqual({ [`${shift}a`]: text });
  }
});

test('fields that are not there leave nothing behind', async () => {
  expect(await texts({})).toEqual(['{}']);
  expect((await texts({ a: undefined, b: [], c: 1 })).join('')).toBe('{"b":[],"c":1}');
});
