import type { GuardAction } from './guard.ts';
import type { Sought } from './pattern.ts';

export const piiCategories = ['email', 'phone', 'card', 'iban', 'ssn'] as const;
export type PiiCategory = (typeof piiCategories)[number];

const letterOrDigit = /[\p{L}\p{N}]/u;

/** What is looked for of each category, with a checksum where there is one. */
const patterns: Readonly<Record<PiiCategory, readonly Omit<Sought, 'of'>[]>> = {
  email: [
    {
      pattern: String.raw`[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,4}\p{L}{2,24}`,
      notAfter: /[\p{L}\p{N}._%+-]/u,
      notBefore: letterOrDigit,
    },
  ],
  phone: [
    {
      pattern: String.raw`\+\d{1,3}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,4}){2,6}`,
      notAfter: /[\p{L}\p{N}+]/u,
      notBefore: letterOrDigit,
      accepts: (text) => isBetween(digitsIn(text).length, 8, 15),
    },
    {
      pattern: String.raw`(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}`,
      notAfter: /[\p{L}\p{N}.+-]/u,
      notBefore: letterOrDigit,
    },
  ],
  card: [
    {
      pattern: String.raw`[2-6](?:[ -]?\d){12,18}`,
      notAfter: /[\p{L}\p{N}.]/u,
      notBefore: letterOrDigit,
      accepts: isCard,
    },
  ],
  iban: [
    {
      pattern: String.raw`(?i)[A-Z]{2}(?:0[2-9]|[1-8]\d|9[0-8])(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?`,
      notAfter: letterOrDigit,
      notBefore: letterOrDigit,
      accepts: isIban,
    },
  ],
  ssn: [
    {
      pattern: String.raw`\d{3}(?:-\d{2}-|[ ]\d{2}[ ])\d{4}`,
      notAfter: /[\p{L}\p{N}.-]/u,
      notBefore: letterOrDigit,
      accepts: isSsn,
    },
  ],
};

/** What is looked for to find what identifies a person. */
export function piiSought(categories: readonly PiiCategory[], action: GuardAction): readonly Sought[] {
  return categories.flatMap((category) =>
    patterns[category].map((sought) => ({ ...sought, of: { guard: 'pii', category, action } })),
  );
}

/** What the numbers of those who issue cards begin with, and how long they are. */
const brands: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|65|64[4-9]|62|35(?:2[89]|[3-8]))/, [16, 17, 18, 19]],
  [/^3(?:0[0-5]|[689])/, [14, 16, 19]],
];

function isCard(text: string): boolean {
  const digits = digitsIn(text);
  return (
    brands.some(([begin, lengths]) => begin.test(digits) && lengths.includes(digits.length)) && isLuhn(digits)
  );
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit;
  }
  return sum % 10 === 0;
}

function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '').toUpperCase();
  if (!isBetween(plain.length, 15, 34)) return false;
  let rest = 0;
  for (const sign of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest === 1;
}

/** Numbers that were never given to anybody are none. */
function isSsn(text: string): boolean {
  const [area = '', group, serial] = text.split(/[ -]/);
  return !/^(?:000|666|9)/.test(area) && group !== '00' && serial !== '0000';
}

function digitsIn(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
