import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exact, exactLines, visible } from '../../run/visible.ts';
import { jsonLine, visibleLine } from './escape.ts';

/** All but line breaks. */
const acting = /(?!\n)\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

describe('text from outside', () => {
  test.for([
    ['colours', '\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['a window title', '\u001b]0;pwned\u0007', '\\x1b]0;pwned\\x07'],
    ['eight-bit controls', 'a\u009b2Jb', 'a\\x9b2Jb'],
    ['a line that is written over', 'safe\rrm -rf', 'safe\\rrm -rf'],
    ['line ends of another system', 'one\r\ntwo', 'one\ntwo'],
    ['tabs', 'a\tb', 'a  b'],
    ['reversed order', 'user\u202egnp.exe', 'user\\u202egnp.exe'],
    ['isolates', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['hidden tags', `a\u{e0041}b`, 'a\\u{e0041}b'],
    ['half a pair', 'a\ud800b', 'a\ufffdb'],
    ['joined emoji', '👩\u200d💻', '👩\u200d💻'],
  ] as const)('%s cannot act', ([, text, shown]) => {
    expect(visible(text)).toBe(shown);
  });

  test('[S52] whatever it is, nothing in it acts on the terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(visible(text)).not.toMatch(acting);
        expect(visibleLine(text)).not.toContain('\n');
        expect(jsonLine({ text })).not.toMatch(acting);
        expect(exact({ text })).not.toMatch(acting);
      }),
    );
  });

  test('what is approved can be read back from what was shown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const kept: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(exact(value))).toEqual(kept);
        expect(JSON.parse(exact(value, 0))).toEqual(kept);
        expect(JSON.parse(jsonLine(value))).toEqual(kept);
      }),
    );
  });

  test('what cannot be seen is written out where somebody approves', () => {
    expect(exact({ to: 'bob\u00a0\ufe0f\u200d' })).toContain('bob\\u00a0\\ufe0f\\u200d');
    expect(exact({ to: `x\u{e0100}` })).toContain('x\\udb40\\udd00');
  });

  test.for([
    ['a Cyrillic letter in a Latin word', 'p\u0430yp\u0430l.com', 'p\\u0430yp\\u0430l.com'],
    ['a Greek one', 'g\u03bfogle', 'g\\u03bfogle'],
    ['in either order, and hidden by what is invisible', '\u0440\u200bay', '\\u0440\\u200bay'],
    ['words of one script each', 'Привет, Bob! Γειά, 2й', 'Привет, Bob! Γειά, 2й'],
    ['a line break before such a word', '\tпривет \u0000мир', '\\tпривет \\u0000мир'],
  ] as const)('[V67] letters that only look like others are written out: %s', ([, given, shown]) => {
    expect(exact({ to: given })).toBe(`{\n  "to": "${shown}"\n}`);
    expect(exactLines(given)).toEqual([shown]);
  });
});
