import { Chance } from './random.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const signs = `${letters}!"#$%&'()*+,-./:;<=>?@[\\]^_{|}~ äé\u20ac`;
const digits = '0123456789abcdef';

/** Secrets as the world makes them, always the same. */
export function generatedSecrets(count: number, seed = 1): readonly string[] {
  const chance = new Chance(seed);
  const some = (length: number, of = letters): string =>
    Array.from({ length }, () => of[chance.between(0, of.length - 1)]).join('');
  const shapes = [
    () => `sk-${some(chance.between(24, 48))}`,
    () => `vit_${some(12, digits)}_${some(43)}`,
    () => `eyJhbGciOiJIUzI1NiJ9.${some(chance.between(20, 60))}.${some(43)}`,
    () => some(chance.between(8, 20), signs),
    () => some(32, digits),
    () => `${some(chance.between(38, 44))}+/=`,
  ];
  return Array.from({ length: count }, (_, i) => shapes[i % shapes.length]?.() ?? some(20));
}

const sentences = [
  'The optical power of port 7 is 3 dB below what it was yesterday.',
  'I looked at «Frankenstein» and found two editions; the second costs $12.50.',
  '```ts\nconst total = items.reduce((sum, { price }) => sum + price, 0);\n```',
  '{"query":"red shoes","limit":10,"filter":{"size":[41,42]}}',
  'See https://example.org/a/b?c=d%20e&f=1#g for the runbook (section 4.2).',
  'Größe: 10 µm, Preis: 5 €, 日本語のテキストも、絵文字 🙂 も。',
  '| name | value |\n| --- | --- |\n| alpha | 0.25 |\n',
  'QmFzZTY0IGxvb2tzIGxpa2UgdGhpcywgYW5kIGlzIGhhcm1sZXNz',
  'She said: "Keep it simple", and so we did; nothing else was changed.\n\n',
];

/** Texts with nothing secret in them, each in the pieces in which a model would stream it. */
export function harmlessTexts(count: number, seed = 2): readonly (readonly string[])[] {
  const chance = new Chance(seed);
  return Array.from({ length: count }, () => {
    const text = Array.from({ length: chance.between(3, 12) }, () => chance.pick(sentences)).join(' ');
    return chance.next() < 0.5 ? tokens(text) : anyhow(text, chance);
  });
}

function anyhow(text: string, chance: Chance): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0)
    pieces.push(text.slice(at, at + chance.between(2, 12)));
  return pieces;
}

/** About as a tokenizer cuts. */
function tokens(text: string): readonly string[] {
  return text.match(/\s?[\p{L}\d]{1,7}|\s?[^\p{L}\d\s]{1,3}|\s+/gu) ?? [];
}
