import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { ExpressionError, readExpression } from './expression.ts';
import { readTemplates } from './template.ts';

const input = { n: 3, text: 'busy link', list: [5, 1, 4], deep: { x: null } };

function value(text: string, given: Json = input): Json {
  return readExpression(text).evaluate({ input: given });
}

function refusal(text: string, given: Json = input): string {
  try {
    return `gave ${JSON.stringify(value(text, given))}`;
  } catch (thrown) {
    if (!(thrown instanceof ExpressionError)) throw thrown;
    return `${thrown.column}: ${thrown.message}`;
  }
}

describe('an expression', () => {
  test.for<[string, Json]>([
    ['input.n + 1', 4],
    ['7 % input.n', 1],
    ['1 + 2', 3],
    ['input.n > 2 && input.text.startsWith("busy")', true],
    ['input.list.filter(a, a > 3).map(a, a * 2)', [10, 8]],
    ['input.?missing.orValue("none")', 'none'],
    ['has(input.deep.x)', true],
    ['input.text.fits("^b.*k$")', true],
    ['{"a": [1, input.n]}', { a: [1, 3] }],
    ['has(input.none) ? input.none.map(a, a) : []', []],
    ['input.deep.x != null && input.deep.x.split(" ").exists(a, a == "")', false],
    ['input.n > 0 || input.none.all(a, a > 0)', true],
  ])('[GR1] %s is %o', ([text, expected]) => {
    expect(value(text)).toEqual(expected);
  });

  test.for<[string, string]>([
    ['input.n +', '10: Unexpected token: EOF'],
    ['nothing.n', '1: Unknown variable: nothing'],
    ['input.text.matches("^(a+)+$")', 'Use «fits» instead of «matches»'],
    ['input.text.fits("(?=a)b")', 'cannot be looked for in bounded time'],
    ['input.list.map(a, input.list.map(b, a + b))', 'A list cannot be gone through inside another one.'],
    ['cel.bind(a, input.text + input.text, a + a)', '«cel.bind» is not known here'],
    ['input.__proto__', 'No such key: __proto__'],
    ['input.constructor', 'No such key: constructor'],
    ['input["__proto__"].polluted', 'No such key: __proto__'],
    ['input.missing', 'No such key: missing'],
    ['input.missing.map(a, a)', 'No such key: missing'],
    ['input.n.map(a, a)', 'comprehension'],
  ])('[GR2 GR3] %s is refused, with its column: %s', ([text, why]) => {
    expect(refusal(text)).toContain(why);
    expect(refusal(text)).toMatch(/^\d+: /);
  });

  test('[GR3] what is too much work is refused by counting, before it is done', () => {
    const long = Array.from({ length: 1_000_000 }, () => 1);
    expect(refusal('input.map(a, a + 1)', long)).toContain('A list of 1000000 items is too long');
    const many = Array.from({ length: 9_000 }, () => 'x'.repeat(50));
    expect(refusal('input.filter(a, a.size() > 3).size()', many)).toBe('gave 9000');
    expect(refusal('input.filter(a, input.exists_one(b, b == a))', many)).toContain('inside another one');
    expect(refusal('input.filter(a, a in input)', many)).toContain('too much work');
    expect(refusal('input.fits("(a|b)*c")', 'ab'.repeat(1_000_000))).toContain('too much work');
    expect(refusal('input + input + input', 'x'.repeat(100_000_000))).toContain('too much work');
    expect(refusal(`${'('.repeat(40)}1${')'.repeat(40)} + ${'1 + '.repeat(600)}1`)).toMatch(/^\d+: /);
  });

  test('[GR1] whatever it reads of data, it gives JSON, and what it quotes it gives back', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (given) => {
        const json = JSON.parse(JSON.stringify(given)) as Json;
        seen.add(Array.isArray(json) ? 'list' : json === null ? 'null' : typeof json);
        expect(value('[input]', json)).toEqual([json]);
      }),
    );
    expect(seen.size).toBeGreaterThan(4);
  });

  test.for(['[][0]', 'input[2]', 'input[-1]'])('[GR2] says which item is not there: %s', (text) => {
    expect(() => readExpression(text).evaluate({ input: [1, 2] })).toThrow(
      /^There is no item -?\d in the list: items are counted from 0\.$/,
    );
  });

  test('[GR2] no text makes it throw anything but a sentence with a place', () => {
    const pieces = fc.constantFrom(
      'input',
      '.n',
      '.list',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"',
      ' + ',
      '1',
      '.map(a, a)',
      '?',
      '.__proto__',
      ' in ',
      '!',
    );
    let read = 0;
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        if (refusal(parts.join('')).startsWith('gave ')) read += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(read).toBeGreaterThan(10);
  });
});

describe('a template', () => {
  test('[GR4] that is one expression is its value, and within text each is told as text', () => {
    const template = readTemplates({
      all: '{{input.list}}',
      some: 'n={{ input.n }}, {{ {"a": {"b": 1}} }}',
      n: 1,
    });
    expect(template.fill({ input })).toEqual({ all: [5, 1, 4], some: 'n=3, {"a":{"b":1}}', n: 1 });
  });

  test('[GR4] never expands what data brings', () => {
    const hostile = { text: '{{nodes.secret.output}}', more: ['{{1 + 1}}'] };
    expect(readTemplates('{{input.text}}').fill({ input: hostile })).toBe('{{nodes.secret.output}}');
    expect(readTemplates('> {{input}}').fill({ input: hostile })).toBe(`> ${JSON.stringify(hostile)}`);
  });

  test('[GR2] says where in the text its expression is wrong, and where it is not closed', () => {
    expect(() => readTemplates('Load of {{ input. }}?')).toThrow(expect.objectContaining({ column: 19 }));
    expect(() => readTemplates('Load of {{ input')).toThrow('«{{» is not closed: end it with «}}».');
  });
});
