import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generatedSecrets, harmlessTexts } from '../../test/secrets.ts';
import { ExactTexts } from './exact-texts.ts';
import { clean, redacted, type Guard } from './guard.ts';
import { HeldText } from './held-text.ts';
import { formsOf } from './secret-forms.ts';
import { Secrets } from './secrets.ts';

/** What comes out of pieces, all of it. */
function throughPieces(guard: Guard, pieces: readonly string[]): string {
  const held = new HeldText(guard);
  return pieces.map((piece) => held.take(piece)).join('') + held.end();
}

/** The same by looking everywhere for everything. */
function slowly(texts: readonly string[], text: string): string {
  const hidden = new Uint8Array(text.length);
  const begins = new Set<number>();
  for (const wanted of texts)
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      hidden.fill(1, at, at + wanted.length);
      begins.add(at);
    }
  // A stretch ends where nothing that began in it goes on.
  const isInside = (i: number): boolean =>
    texts.some((wanted) => {
      for (let at = Math.max(0, i - wanted.length + 1); at < i; at += 1)
        if (text.startsWith(wanted, at)) return true;
      return false;
    });
  let kept = '';
  for (let i = 0; i < text.length; i += 1) {
    if (!hidden[i]) kept += text[i];
    else if (begins.has(i) && !isInside(i)) kept += redacted;
  }
  return kept;
}

describe('exact texts', () => {
  const letter = fc.constantFrom('a', 'b', 'c');
  const letters = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
  const longer = fc.string({ unit: letter, minLength: 3, maxLength: 7 });
  /** Where all have three characters, there is a quicker way to see that nothing begins. */
  const texts = (most: number) =>
    fc.oneof(
      fc.array(letters, { minLength: 1, maxLength: most }),
      fc.array(longer, { minLength: 1, maxLength: most }),
    );

  test('[K1] are found wherever they stand, also in each other, by one look at each character', () => {
    fc.assert(
      fc.property(
        texts(5),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 40 }),
        (wanted, text) => {
          const exact = new ExactTexts();
          for (const each of wanted) exact.add(each);
          expect(clean(exact, text)).toBe(slowly(wanted, text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('[K1] can be added at any time', () => {
    fc.assert(
      fc.property(texts(6), letters, (wanted, text) => {
        const exact = new ExactTexts();
        for (const [i, each] of wanted.entries()) {
          exact.add(each);
          const long = wanted.join('d') + text;
          expect(clean(exact, long)).toBe(slowly(wanted.slice(0, i + 1), long));
        }
      }),
    );
  });

  test('[K2] what comes out is the same wherever the text is cut', () => {
    fc.assert(
      fc.property(
        texts(4),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 6 }), { maxLength: 10 }),
        (wanted, pieces) => {
          const exact = new ExactTexts();
          for (const each of wanted) exact.add(each);
          expect(throughPieces(exact, pieces)).toBe(clean(exact, pieces.join('')));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('[K2] no more is held back than could begin a match, however often it seems to', () => {
    const exact = new ExactTexts();
    exact.add('aaaaaaaab');
    const held = new HeldText(exact);
    let told = 0;
    for (let i = 0; i < 1_000; i += 1) told += held.take('aaaaaaa').length;
    expect(told).toBe(7_000 - 8);
    exact.add('aaaaaaaa');
    for (let i = 0; i < 1_000; i += 1) held.take('aaaaaaa');
    expect(held.end().length).toBeLessThan(20);
  });

  test('[K2] what is over does not wait', () => {
    const secrets = new Secrets(['sk-0123456789']);
    const held = new HeldText(secrets);
    expect(held.take('it is sk-01234')).toBe('it is ');
    expect(held.take('56789')).toBe(redacted);
    expect(held.isEmpty).toBe(true);
  });

  test('[K3] a crumb is let go when it cannot wait, and the rest of the match is hidden all the same', () => {
    const secrets = new Secrets(['sk-0123456789']);
    const held = new HeldText(secrets);
    expect(held.take('the sk')).toBe('the ');
    expect(held.takeCrumb()).toBe('sk');
    expect(held.take('-01')).toBe('');
    expect(held.takeCrumb()).toBe('');
    expect(held.take('23456789 is it')).toBe(`${redacted} is it`);
    expect(held.take(' sk')).toBe(' ');
    expect(held.takeCrumb()).toBe('sk');
    expect(held.take('y')).toBe('y');
  });
});

describe('secrets', () => {
  test('[K4] are found as they are, in JSON, in addresses and in Base64 after anything', () => {
    const secret = 'p/ä "q"\\+z?\n9';
    const secrets = new Secrets([secret]);
    const base64 = [0, 1, 2, 3, 4].flatMap((before) => {
      const bytes = Buffer.from(`${'x'.repeat(before)}${secret}tail`);
      return [bytes.toString('base64'), bytes.toString('base64url')];
    });
    const forms = {
      plain: secret,
      json: JSON.stringify({ secret }),
      jsonInJson: JSON.stringify(JSON.stringify({ secret })),
      slashes: JSON.stringify({ secret }).replaceAll('/', '\\/'),
      url: `?q=${encodeURIComponent(secret)}`,
      lower: `?q=${encodeURIComponent(secret).toLowerCase()}`,
      form: new URLSearchParams({ q: secret }).toString(),
    };
    for (const [name, form] of [...Object.entries(forms), ...base64.entries()])
      expect(secrets.clean(form), String(name)).toContain(redacted);
  });

  test('[S36] [K2] 1,000 secrets in every form, cut at every place, come out of none', () => {
    const all = generatedSecrets(1_000);
    const secrets = new Secrets(all);
    let cuts = 0;
    for (const secret of all)
      for (const form of formsOf(secret)) {
        const text = `so ${form} is it`;
        const whole = secrets.clean(text);
        expect(whole).toContain(redacted);
        expect(whole).not.toContain(form);
        for (let cut = 1; cut < text.length; cut += 1) {
          cuts += 1;
          const told = throughPieces(secrets, [text.slice(0, cut), text.slice(cut)]);
          if (told !== whole) expect(told, `${text} cut at ${cut}`).toBe(whole);
        }
      }
    expect(cuts).toBeGreaterThan(100_000);
  });

  test('[S36] 200 harmless texts come out as they are, no piece later than one chunk', () => {
    const secrets = new Secrets(generatedSecrets(40));
    for (const pieces of harmlessTexts(200)) {
      const held = new HeldText(secrets);
      let [came, went] = ['', ''];
      for (const piece of pieces) {
        const before = came.length;
        came += piece;
        went += held.take(piece);
        expect(came.startsWith(went)).toBe(true);
        expect(went.length, `${came} | ${went}`).toBeGreaterThanOrEqual(before);
      }
      expect(went + held.end()).toBe(came);
    }
  });

  test('[K5] what is too short to be told from a word is no secret', () => {
    const secrets = new Secrets();
    expect(secrets.add('1234567')).toBe(false);
    expect(secrets.add('12345678')).toBe(true);
    expect(secrets.clean('1234567 12345678')).toBe(`1234567 ${redacted}`);
  });

  test('[K6] of 10,000 that came in the latest are hidden, and those of the configuration always', () => {
    const [own = '', ...seen] = generatedSecrets(10_000).filter(({ length }) => length >= 16);
    const secrets = new Secrets([own], 60_000);
    for (const secret of seen) secrets.addPassing(secret);
    const latest = seen.slice(-30);
    for (const secret of [own, ...latest]) expect(secrets.clean(secret)).toBe(redacted);
    const [oldest = ''] = seen;
    expect(secrets.clean(oldest)).toBe(oldest);
  });

  test('[K4] names and texts of a value are cleaned, and a value without any is given back itself', () => {
    const secrets = new Secrets(['sk-0123456789']);
    const value = { a: ['x', { 'of sk-0123456789': 1, b: 'sk-0123456789!' }], c: null };
    expect(secrets.cleanAll(value)).toEqual({
      a: ['x', { [`of ${redacted}`]: 1, b: `${redacted}!` }],
      c: null,
    });
    const harmless = { a: ['x', { b: 1 }] };
    expect(secrets.cleanAll(harmless)).toBe(harmless);
  });
});
