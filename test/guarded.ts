import { Chance } from './random.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

/** A value that must not pass, and the category it is found as. */
export interface Personal {
  readonly category: 'email' | 'phone' | 'card' | 'iban' | 'ssn';
  readonly value: string;
}

/** What identifies people, as the world writes it; always the same for the same seed. Made by other means than it is found. */
export function personalValues(count: number, seed = 1): readonly Personal[] {
  const chance = new Chance(seed);
  const some = (length: number, of: string): string =>
    Array.from({ length }, () => of[chance.between(0, of.length - 1)]).join('');
  const word = (): string => some(chance.between(2, 9), letters);
  const shapes: readonly (() => Personal)[] = [
    () => ({
      category: 'email',
      value: `${word()}${chance.pick(['.', '_', '+', ''])}${word()}@${word()}.${chance.pick(['com', 'co.uk', 'org', 'de'])}`,
    }),
    () => ({ category: 'phone', value: phone(chance, (length) => some(length, digits)) }),
    () => ({ category: 'card', value: card(chance, (length) => some(length, digits)) }),
    () => ({ category: 'iban', value: iban(chance, some) }),
    () => ({
      category: 'ssn',
      value: `${chance.between(1, 8)}${some(1, '12345')}${some(1, digits)}-${some(1, '12345')}${some(1, digits)}-${some(1, '123456789')}${some(3, digits)}`,
    }),
  ];
  return Array.from(
    { length: count },
    (_, i) => shapes[i % shapes.length]?.() ?? { category: 'email', value: 'a@b.org' },
  );
}

function phone(chance: Chance, number: (length: number) => string): string {
  const area = `${chance.between(2, 9)}${number(2)}`;
  return chance.pick([
    `+1 ${area} ${number(3)} ${number(4)}`,
    `+49 30 ${number(7)}`,
    `+44${number(10)}`,
    `(${area}) ${number(3)}-${number(4)}`,
    `${area}-${number(3)}-${number(4)}`,
  ]);
}

function card(chance: Chance, number: (length: number) => string): string {
  const [begin, length] = chance.pick([
    ['4', 16],
    ['51', 16],
    ['2221', 16],
    ['37', 15],
    ['6011', 16],
  ] as const);
  const body = begin + number(length - begin.length - 1);
  const check = Array.from(digits).find((digit) => luhn(body + digit)) ?? '0';
  const all = body + check;
  return chance.pick([all, all.replaceAll(/\d{4}(?=\d)/g, '$& '), all.replaceAll(/\d{4}(?=\d)/g, '$&-')]);
}

/** From the left, over the doubled digits one by one. */
function luhn(all: string): boolean {
  const doubled = Array.from(all).map((digit, i) =>
    (all.length - i) % 2 === 0 ? Number(digit) * 2 : Number(digit),
  );
  return Array.from(doubled.join('')).reduce((sum, digit) => sum + Number(digit), 0) % 10 === 0;
}

function iban(chance: Chance, some: (length: number, of: string) => string): string {
  const [country, body] = chance.pick([
    ['DE', some(18, digits)],
    ['GB', some(4, letters.toUpperCase()) + some(14, digits)],
    ['FR', some(23, digits)],
    ['NO', some(11, digits)],
  ] as const);
  const number = Array.from(`${body}${country}00`)
    .map((sign) => Number.parseInt(sign, 36))
    .join('');
  const check = String(98n - (BigInt(number) % 97n)).padStart(2, '0');
  const all = `${country}${check}${body}`;
  return chance.pick([all, all.replaceAll(/.{4}(?=.)/g, '$& ')]);
}

const sentences = [
  'Version 10.4.2-rc.1 replaces 10.4.1; see change 2024-11-17 and ticket INC-4532-0012.',
  'The request took 1700000000123 ms since 1970, build 20241117143455, id 550e8400-e29b-41d4-a716-446655440000.',
  'Port 443 on 192.168.178.24 and 10.0.0.1:8080 answered in 0.4111111111111112 s (99.95 %).',
  'Order 4111111111111112 is no card, 1234567812345678 neither, and 9999999999999999 is a test.',
  'ISBN 978-3-16-148410-0, part 12-345-6789-0, serial SN-000-12-3456, room 3.141.',
  'GB00WEST12345698765432 is a made-up number; DE00 0000 0000 0000 0000 00 as well.',
  'Ask @ana in #ops, or look at user@ and @host; a@b is no address, and «x @ y» is none.',
  'Coordinates 52.520008, 13.404954; phone extension 1234; (123) and 456; 12 + 34 = 46.',
  'SSN-like: 000-12-3456, 666-12-3456, 900-12-3456, 123-00-4567 and 123-45-0000 were never given to anybody.',
  'The bombastic speech was killing time; a skill, a Sussex boat, weaponry of words.',
  'const id = 0xDEADBEEF; let sum = 1 + 22 + 333 + 4444 + 55555 + 666666;',
  'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '| port | rx | tx |\n| --- | --- | --- |\n| 1 | -3.2 | 4.5 |\n| 2 | 1200 3400 | 5600 |\n',
  'Größe: 10 µm, Preis: 5 €, 日本語のテキストも、絵文字 🙂 も。',
];

/** Texts with nothing in them that a guard should find, as a model streams them: each piece ends where a word does. */
export function harmlessAnswers(count: number, seed = 2): readonly (readonly string[])[] {
  const chance = new Chance(seed);
  return Array.from({ length: count }, () => {
    const text = Array.from({ length: chance.between(3, 9) }, () => chance.pick(sentences)).join(' ');
    return text.match(/\s*\S+/gu) ?? [];
  });
}
