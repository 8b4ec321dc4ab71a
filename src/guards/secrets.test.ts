import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seedOf, sized, tell } from '../../test/long.ts';
import { dumpsOf, generatedSecrets, harmlessTexts, spellingsOf } from '../../test/secrets.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { ExactTexts } from './exact-texts.ts';
import { clean, redacted, type Guard } from './guard.ts';
import { HeldText } from './held-text.ts';
import { Outgoing } from './outgoing.ts';
import { Secrets } from './secrets.ts';
import { countRead, leavingOut } from './tight.ts';

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
  const letter = fc.constantFrom('a', 'b', 'c', 'ä');
  const letters = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
  const longer = fc.string({ unit: letter, minLength: 4, maxLength: 8 });
  /** Where all have four characters, there is a quicker way to see that nothing begins. */
  const texts = (most: number) =>
    fc.oneof(
      fc.array(letters, { minLength: 1, maxLength: most }),
      fc.array(longer, { minLength: 1, maxLength: most }),
    );

  test('[K1] are found wherever they stand, also in each other, by one look at each character', () => {
    fc.assert(
      fc.property(
        texts(5),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ä', 'd'), maxLength: 40 }),
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

  test('[K1] are found over gaps where they would be found in the text without them', () => {
    const seen = { found: 0, open: 0, sparse: 0 };
    const parts = fc.array(fc.tuple(letters, fc.integer({ min: 0, max: 3 })), { maxLength: 12 });
    fc.assert(
      fc.property(texts(5), parts, (wanted, given) => {
        const exact = new ExactTexts();
        for (const text of wanted) exact.add(text);
        let [text, gaps]: [string, number[]] = ['', []];
        for (const [words, space] of given) {
          text += words;
          if (space > 0) gaps.push(text.length, text.length + space);
          text += ' '.repeat(space);
        }
        const tight = leavingOut(gaps, text);
        const { stretches, open } = exact.find(tight.text);
        const from = open === 0 ? text.length : tight.placeOf(tight.text.length - open);
        const found = exact.findOver(text, gaps);
        expect(found.stretches).toEqual(
          stretches.map(({ start, end }) => ({
            start: tight.placeOf(start),
            end: tight.placeOf(end - 1) + 1,
          })),
        );
        expect(found.open).toBe(text.length - from);
        expect(found.isSparse ?? false).toBe(text.length - from > open);
        seen.found += stretches.length;
        seen.open += open;
        seen.sparse += found.isSparse ? 1 : 0;
      }),
      { numRuns: 1_000 },
    );
    expect(Object.values(seen).every((count) => count > 100)).toBe(true);
  });

  test('[K2] what comes out is the same wherever the text is cut', () => {
    fc.assert(
      fc.property(
        texts(4),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ä', 'd'), maxLength: 6 }), {
          maxLength: 10,
        }),
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
    expect(held.take('23456789 is it.')).toBe(`${redacted} is it.`);
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

  test('[S36] [K48] [H20] [H21] [H27] [H28] 1,000 secrets, in whatever spelling, leave no more than a few characters', () => {
    const all = generatedSecrets(1_000);
    const secrets = new Secrets(all);
    let spellings = 0;
    for (const secret of all)
      for (const [name, form] of Object.entries(spellingsOf(secret))) {
        spellings += 1;
        // Signs of Base64 share bits with their neighbours; what stood before was no secret.
        const others =
          Number(/after (\d+)/.exec(name)?.[1] ?? 0) * 1.5 + (name.startsWith('Base64') ? 24 : 3);
        const left = secrets.clean(`so ${form} is`).slice(3, -3);
        if (!left.includes(redacted) || countRead(left.replaceAll(/\[redacted]|0x/g, '')) > others)
          expect(left, `${name}: ${form}`).toBe(redacted);
      }
    expect(spellings).toBeGreaterThan(50_000);
  });

  test(
    '[K49] of 1,000 secrets in dumps of bytes nothing is left, neither in digits nor beside them',
    { timeout: 600_000 },
    () => {
      const all = generatedSecrets(sized(100, 1_000));
      for (const secret of all) {
        const secrets = new Secrets([secret]);
        const texts = [secret, Buffer.from(secret).toString('latin1'), Array.from(secret).join('.')];
        const traces = [
          ...texts.map((text) => text.replaceAll(/[^ -~]/g, '.')),
          ...[Buffer.from(secret), Buffer.from(secret, 'utf16le')].map((bytes) => bytes.toString('hex')),
        ].flatMap((text) => Array.from({ length: text.length - 7 }, (_, i) => text.slice(i, i + 8)));
        for (const [name, dump] of Object.entries(dumpsOf(secret))) {
          const left = secrets.clean(`so ${dump}\nis it`);
          const [digits, beside] = [left.replaceAll(/\s/g, '').toLowerCase(), left];
          const trace = traces.find((each) => digits.includes(each) || beside.includes(each));
          if (trace !== undefined || !left.includes(redacted) || !left.endsWith('\nis it'))
            expect(left, `${name} of ${secret}, left ${trace}: ${dump}`).toBe('');
        }
      }
    },
  );

  test(
    '[S36] [K2] [K48] [K49] [H20] [H21] [H27] [H28] secrets in whatever spelling come out the same wherever they are cut',
    { timeout: 3_600_000 },
    () => {
      const all = generatedSecrets(sized(6, 1_000), seedOf('spellings of secrets'));
      let cuts = 0;
      for (const [i, secret] of all.entries()) {
        // Known by itself: among a thousand, nearly everything begins like one of them.
        const secrets = new Secrets([secret]);
        const dumps = Object.entries(dumpsOf(secret)).filter((_, j) => j % 8 === i % 8);
        for (const [name, form] of [...Object.entries(spellingsOf(secret)), ...dumps]) {
          const text = `so ${form} is it`;
          const whole = secrets.clean(text);
          for (let cut = 1; cut < text.length; cut += 1) {
            cuts += 1;
            const told = throughPieces(secrets, [text.slice(0, cut), text.slice(cut)]);
            if (told !== whole) expect(told, `${name}: ${text} cut at ${cut}`).toBe(whole);
          }
        }
      }
      tell('spellings of secrets', { secrets: all.length, cuts });
      expect(cuts).toBeGreaterThan(50_000);
    },
  );

  test('[H22] whatever seems to be spelled, only its last few characters wait', () => {
    const secrets = new Secrets(generatedSecrets(40));
    const signs = [
      '\\',
      '%',
      '%25',
      '%2',
      '5',
      '\\u00',
      '%5C',
      '%5c%5c',
      '%E2',
      '%e2%82',
      '\r\n',
      '%0A',
      'u',
      '4',
    ];
    const units = fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 9 }), (unit, size) => {
        const text = unit.join('').repeat(200);
        const held = new HeldText(secrets);
        let [came, went, most] = [0, 0, 0];
        for (let at = 0; at < text.length; at += size) {
          came += text.slice(at, at + size).length;
          went += held.take(text.slice(at, at + size)).length;
          most = Math.max(most, came - went);
        }
        expect(most).toBeLessThan(300);
        expect(went + held.end().length).toBe(text.length);
      }),
      { examples: signs.map((sign) => [[sign, sign, sign, sign], 3]) },
    );
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

  test('[K6] of thousands that came in the latest are hidden, and those of the configuration always', () => {
    const [own = '', ...seen] = generatedSecrets(sized(2_500, 10_000)).filter(({ length }) => length >= 16);
    const secrets = new Secrets([own], 120_000);
    for (const secret of seen) secrets.addPassing(secret);
    const latest = seen.slice(-10);
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

  test('[H23] texts of a value that are read one after the other are looked at as one', () => {
    const secret = 'sk-0123456789';
    const secrets = new Secrets([secret]);
    for (let cut = 1; cut < secret.length; cut += 1) {
      const [one, two] = [secret.slice(0, cut), secret.slice(cut)];
      for (const [given, cleaned] of [
        [
          [`so ${one}`, `${two} is it`],
          [`so ${redacted}`, `${redacted} is it`],
        ],
        [
          { a: one, b: { c: 1, d: two } },
          { a: redacted, b: { c: 1, d: redacted } },
        ],
        [
          {
            content: [
              { type: 'text', text: one },
              { type: 'text', text: two },
            ],
          },
          {
            content: [
              { type: 'text', text: redacted },
              { type: 'text', text: redacted },
            ],
          },
        ],
      ])
        expect(secrets.cleanAll(given)).toEqual(cleaned);
    }
    const characters = { content: Array.from(secret, (text) => ({ type: 'text', text })) };
    expect(JSON.stringify(secrets.cleanAll(characters))).not.toMatch(/\d/);
    const apart = { a: ['sk-01', 'and', '23456789'], b: ['sk-', 'sk-'] };
    expect(secrets.cleanAll(apart)).toBe(apart);
  });
});

describe('what leaves a journal that is older than what is known', () => {
  const secret = 'sk-0123456789';
  const secrets = new Secrets([secret]);
  const entriesOf = (events: readonly RunEvent[]): readonly Entry[] =>
    events.map((event, i) => ({ seq: i + 1, at: 0, event }));
  const said = (text: string, step = 1): RunEvent => ({
    type: 'text.appended',
    step,
    channel: 'content',
    text,
  });
  const closed = { type: 'step.closed', step: 1, outcome: 'completed' } as const;
  const passed = (outgoing: Outgoing, entries: readonly Entry[]): readonly Entry[] => {
    for (const entry of entries) outgoing.take(entry);
    return outgoing.leave();
  };
  const texts = (entries: readonly Entry[]): readonly string[] =>
    entries.flatMap(({ event }) => ('text' in event ? [event.text] : []));

  test('[H25] are the same entries, and of a secret in pieces no more than a crumb', () => {
    for (let cut = 1; cut < secret.length; cut += 1) {
      const pieces = [
        said(`so ${secret.slice(0, cut)}`),
        said('other', 2),
        said(`${secret.slice(cut)} is it`),
      ];
      const entries = entriesOf([...pieces, closed]);
      const [inOne, oneByOne] = [new Outgoing(secrets), new Outgoing(secrets)];
      for (const told of [passed(inOne, entries), entries.flatMap((entry) => passed(oneByOne, [entry]))]) {
        expect(told.map(({ seq, event }) => [seq, event.type])).toEqual(
          entries.map(({ seq, event }) => [seq, event.type]),
        );
        for (let length = 4; length <= secret.length; length += 1)
          expect(texts(told).join('|')).not.toContain(secret.slice(secret.length - length));
        expect(texts(told).join('')).toContain(redacted);
      }
    }
  });

  test('[H25] what begins like a secret and is none is told, also when its step ends', () => {
    const entries = entriesOf([said('a sk-01234'), said('x, and sk-0123'), closed]);
    expect(texts(passed(new Outgoing(secrets), entries))).toEqual(['a ', 'sk-01234x, and sk-0123']);
    const harmless = entriesOf([said('nothing'), said('of the kind'), closed]);
    const told = passed(new Outgoing(secrets), harmless);
    expect(told.every((entry, i) => entry === harmless[i])).toBe(true);
  });
});
