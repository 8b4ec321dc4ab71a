import { expect, test } from 'vitest';
import { exactLines, visible } from '../../run/visible.ts';

interface Shared {
  visible(text: string): string;
  exactText(value: unknown): string;
}

test('[V53] [S39] the page shows every character as the terminal does', async () => {
  const page = (await import(new URL('../page/visible.js', import.meta.url).href)) as Shared;
  const expectSame = (value: unknown): void =>
    expect(page.exactText(value)).toBe(exactLines(value).join('\n'));
  for (let begin = 0; begin < 0x110000; begin += 0x1000) {
    const all = Array.from({ length: 0x1000 }, (_, i) => String.fromCodePoint(begin + i)).join('');
    expect(page.visible(all)).toBe(visible(all));
    for (const value of [all, { [all]: [all] }]) expectSame(value);
  }
  for (const value of [
    null,
    5,
    [],
    { blob: 'x', size: 1 },
    'a\nb\\"c',
    'p\u0430ypal \nпривет 5 kΩ',
    { аb: ['\tя'] },
  ])
    expectSame(value);
});
