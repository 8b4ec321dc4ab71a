import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sized } from '../../test/long.ts';
import { applyGuard } from './apply-guard.ts';
import { clean, type Guard } from './guard.ts';
import { HeldText } from './held-text.ts';

/** What a guard must find, each with a word of its mark, and what it must leave alone. */
export interface GuardCases {
  readonly guard: Guard;
  readonly found: readonly { readonly value: string; readonly category: string }[];
  readonly harmless: readonly string[];
}

/** What comes out of pieces, all of it. */
export function throughPieces(guard: Guard, pieces: readonly string[]): string {
  const held = new HeldText(guard);
  return pieces.map((piece) => held.take(piece)).join('') + held.end();
}

export function guardContract(name: string, cases: () => GuardCases): void {
  describe(name, () => {
    test('[GD1] finds what it is for, tells what it is, and never the value', () => {
      const { guard, found } = cases();
      for (const { value, category } of found) {
        const { text, findings, verdict } = applyGuard(guard, `It is ${value}, as told.`);
        expect(findings, value).toContainEqual(expect.objectContaining({ category, count: 1 }));
        expect(text, value).toBe(`It is [${category}], as told.`);
        if (value !== category) expect(JSON.stringify(findings)).not.toContain(value);
        expect(verdict).not.toBe('pass');
      }
    });

    test('[GD51] finds it as text processors, phones and models write it', () => {
      const { guard, found } = cases();
      for (const { value, category } of found)
        for (const written of asWritten(value))
          expect(applyGuard(guard, `It is ${written}, as told.`).text, written).toBe(
            `It is [${category}], as told.`,
          );
    });

    test('[GD2] leaves everything else as it is', () => {
      const { guard, harmless } = cases();
      for (const text of harmless)
        expect(applyGuard(guard, text)).toEqual({ text, findings: [], verdict: 'pass' });
    });

    test('[GD3] finds the same wherever the text is cut, and what was told and what waits is all of it', () => {
      const { guard, found, harmless } = cases();
      const values = found.flatMap(({ value }) => [value, ...asWritten(value)]);
      const others = [
        ...new Set(harmless.flatMap((text) => text.split(/(?= )/))),
        '.',
        '\n',
        '+',
        '-',
        '🙂',
        '\u200b',
        '\u00ad',
        '\u2011',
      ];
      const words = fc.oneof(fc.constantFrom(...values), fc.constantFrom(...others));
      const pieces = fc.array(fc.tuple(words, fc.constantFrom('', ' ', '-', '\u200b', '\u00a0')), {
        maxLength: 8,
      });
      const seen = { found: 0, cut: 0 };
      fc.assert(
        fc.property(pieces, fc.array(fc.nat(80), { minLength: 2, maxLength: 12 }), (parts, cuts) => {
          const text = parts.flat().join('');
          const cutText = cutAt(text, cuts);
          expect(throughPieces(guard, cutText)).toBe(clean(guard, text));
          seen.found += guard.find(text).stretches.length;
          seen.cut += cutText.length - 1;
        }),
        { numRuns: sized(300, 5_000) },
      );
      expect(seen.found).toBeGreaterThan(100);
      expect(seen.cut).toBeGreaterThan(300);
    });
  });
}

/** With other spaces and hyphens, with something that nobody sees in it, and in wide letters and digits. */
function asWritten(value: string): readonly string[] {
  const middle = Math.ceil(value.length / 2);
  const parted = (sign: string): string => value.slice(0, middle) + sign + value.slice(middle);
  return [
    value.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011'),
    value.replaceAll(' ', '\u202f').replaceAll('-', '\u2013'),
    value.replaceAll(' ', ' \u200b'),
    value.replaceAll(' ', '\u200b'),
    parted('\u200b'),
    parted('\u00ad\u2060'),
    value
      .replaceAll(' ', '\u3000')
      .replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  ];
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.filter((cut) => cut < text.length))].toSorted((a, b) => a - b);
  return [0, ...places].map((from, i, all) => text.slice(from, all[i + 1] ?? text.length));
}
