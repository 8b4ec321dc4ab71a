import { tightForms, plainForms } from '../src/guards/secret-forms.ts';
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

/**
 * A secret in each way in which programs write it down. Made by other means than those by which it is looked for, so that
 * they cannot be wrong together.
 */
export function spellingsOf(secret: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const units = (hex: (text: string) => string): string =>
    Array.from(
      { length: secret.length },
      (_, i) => `\\u${hex(secret.charCodeAt(i).toString(16).padStart(4, '0'))}`,
    ).join('');
  const perByte = (sign: string, hex: (text: string) => string): string =>
    Array.from(bytes, (byte) => `${sign}${hex(byte.toString(16).padStart(2, '0'))}`).join('');
  const lower = (text: string): string => text.toLowerCase();
  const upper = (text: string): string => text.toUpperCase();
  const url = encodeURIComponent(secret);
  const ascii = json.replaceAll(
    /[^ -~]|[&<>']/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return {
    plain: secret,
    json,
    'JSON in JSON': JSON.stringify(json).slice(1, -1),
    'JSON in JSON in JSON': JSON.stringify(JSON.stringify(json).slice(1, -1)).slice(1, -1),
    'JSON with slashes': json.replaceAll('/', '\\/'),
    'JSON in ASCII': ascii,
    'JSON in ASCII in JSON': JSON.stringify(ascii).slice(1, -1),
    'JSON of numbers': units(lower),
    'JSON of Numbers': units(upper),
    'JSON of numbers in JSON': JSON.stringify(units(lower)).slice(1, -1),
    'JSON in an address': encodeURIComponent(json),
    address: encodeURI(secret),
    component: url,
    'lower component': url.replaceAll(/%[0-9A-F]{2}/g, lower),
    'component twice': encodeURIComponent(url),
    'component three times': encodeURIComponent(encodeURIComponent(url)),
    form: new URLSearchParams([['', secret]]).toString().slice(1),
    'every byte': perByte('%', upper),
    'every byte, lower': perByte('%', lower),
    'every byte twice': encodeURIComponent(perByte('%', upper)),
    'every byte as in C': perByte('\\x', lower),
    'every byte in octal': octal(bytes, 3),
    'every byte in octal, short': octal(bytes, 2),
    'every byte in octal in JSON': JSON.stringify(octal(bytes, 3)).slice(1, -1),
    ...wideOf(secret),
    hex: bytes.toString('hex'),
    HEX: upper(bytes.toString('hex')),
    ...(isPlain(secret) ? brokenUp(secret) : {}),
    ...base64Of(bytes),
  };
}

function octal(bytes: Buffer, digits: number): string {
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(digits, '0')}`).join('');
}

/** In UTF-16, as a program shows it that takes it for something else. */
function wideOf(secret: string): Readonly<Record<string, string>> {
  const little = Buffer.from(secret, 'utf16le');
  const big = Buffer.from(little).swap16();
  const all: Record<string, string> = {};
  for (const [name, bytes] of Object.entries({ little, big })) {
    if (isPlain(secret)) {
      all[`UTF-16, ${name}`] = bytes.toString('latin1');
      all[`UTF-16 in octal, ${name}`] = octal(bytes, 3);
    }
    all[`UTF-16 in hex, ${name}`] = bytes.toString('hex');
    for (const before of [0, 1, 2])
      all[`Base64 after ${before} of UTF-16, ${name}`] = Buffer.concat([
        Buffer.alloc(before, 'x'),
        bytes,
        Buffer.from('yz'),
      ]).toString('base64');
  }
  return all;
}

/** A secret in dumps of bytes, as `xxd`, `hexdump -C` and `od` write them, beginning anywhere in a line. */
export function dumpsOf(secret: string): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  const texts = { 'UTF-8': Buffer.from(secret), 'UTF-16': Buffer.from(secret, 'utf16le') };
  for (const [coding, bytes] of Object.entries(texts))
    for (const before of [0, 5, 15]) {
      // No character of a secret has such digits, wherever one begins to read them.
      const dumped = Buffer.concat([Buffer.alloc(before, 1), bytes, Buffer.alloc(9, 1)]);
      for (const [layout, line] of Object.entries(layouts)) {
        const lines = Array.from({ length: Math.ceil(dumped.length / 16) }, (_, i) =>
          line(i * 16, dumped.subarray(i * 16, i * 16 + 16)),
        );
        all[`${layout} of ${coding} after ${before}`] = lines.join('\n');
        if (before === 5 && isPlain(secret))
          all[`${layout} of ${coding} in JSON`] = JSON.stringify(lines.join('\n')).slice(1, -1);
      }
    }
  return all;
}

const layouts: Readonly<Record<string, (at: number, bytes: Buffer) => string>> = {
  xxd: (at, bytes) => {
    const words = bytes.toString('hex').replaceAll(/.{4}/g, '$& ').trimEnd().padEnd(39);
    return `${at.toString(16).padStart(8, '0')}: ${words}  ${shown(bytes)}`;
  },
  XXD: (at, bytes) => {
    const words = bytes.toString('hex').toUpperCase().replaceAll(/.{4}/g, '$& ').trimEnd().padEnd(39);
    return `${at.toString(16).padStart(8, '0')}: ${words}  ${shown(bytes)}\r`;
  },
  'hexdump -C': (at, bytes) => {
    const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
    const halves = `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.padEnd(48);
    return `${at.toString(16).padStart(8, '0')}  ${halves}  |${shown(bytes)}|`;
  },
  'od -A x -t x1': (at, bytes) =>
    `${at.toString(16).padStart(6, '0')} ${bytes.toString('hex').replaceAll(/../g, '$& ').trimEnd()}`,
};

function shown(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[^ -~]/g, '.');
}

/** Whether it reads as it is, and enough of it is left when what is read over is not there. */
function isPlain(secret: string): boolean {
  return !/[\\%&]/.test(secret) && secret.replaceAll(/[\s*_~`]/g, '').length >= 8;
}

/** A secret that a screen shows, or a reader puts together, as if nothing stood in it. */
function brokenUp(secret: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(secret);
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const characters = Array.from(secret);
  const [head, tail] = [secret.slice(0, 6), secret.slice(6)];
  const numbers = (of: (code: number) => string): string =>
    characters.map((character) => of(character.codePointAt(0) ?? 0)).join('');
  return {
    'two lines': `${head}\n${tail}`,
    'two words': `${head} ${tail}`,
    'an indented line': `${head}\r\n        ${tail}`,
    'a letter a line': characters.join('\n'),
    'a letter a line in JSON': characters.join('\\n'),
    'a letter a word': characters.join(' '),
    bold: `${head}**${tail}`,
    code: `${head}\`${tail}`,
    'struck out': `${head}~~${tail}`,
    'zero width': characters.join('\u200b'),
    'soft hyphens': characters.join('\u00ad'),
    nulls: characters.join('\0'),
    'nulls in JSON': characters.join('\\u0000'),
    colours: characters.join('\u001b[31;1m'),
    'colours in JSON': characters.join('\\u001b[0m'),
    'bytes apart': pairs.join(' '),
    'BYTES apart': pairs.join(' ').toUpperCase(),
    'bytes with colons': pairs.join(':'),
    'bytes as in C': `0x${pairs.join(', 0x')}`,
    'bytes as in C, tight': `0x${pairs.join(',0x')}`,
    braces: numbers((code) => `\\u{${code.toString(16)}}`),
    'braces in JSON': numbers((code) => `\\\\u{${code.toString(16)}}`),
    'decimal entities': numbers((code) => `&#${code};`),
    'hex entities': numbers((code) => `&#x${code.toString(16)};`),
    'Hex entities': numbers((code) => `&#X${code.toString(16).toUpperCase()};`),
    'entities in HTML': numbers((code) => `&amp;#${code};`),
    'named entities': secret.replaceAll(/[&<>"'_+/=]/g, (sign) => named[sign] ?? sign),
    ...Object.fromEntries(
      [0, 1, 2].flatMap((before) => {
        const once = Buffer.from(`${'x'.repeat(before)}${secret}yz`).toString('base64');
        return [0, 1, 2].map((more) => [
          `Base64 of Base64 after ${before} and ${more}`,
          Buffer.from(`${'x'.repeat(more)}${once}yz`).toString('base64'),
        ]);
      }),
    ),
  };
}

const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  _: '&lowbar;',
  '+': '&plus;',
  '/': '&sol;',
  '=': '&equals;',
};

function base64Of(bytes: Buffer): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const before of [0, 1, 2, 46, 53]) {
    const padded = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('yz')]);
    const [base64, name] = [padded.toString('base64'), `Base64 after ${before}`];
    all[name] = base64;
    all[`${name}, other alphabet`] = padded.toString('base64url');
    all[`${name} in an address`] = encodeURIComponent(base64);
    for (const columns of [64, 76])
      for (const end of ['\n', '\r\n']) {
        const lines = base64.replaceAll(new RegExp(`.{${columns}}`, 'g'), `$&${end}`);
        all[`${name}, ${columns} columns and ${end.length}`] = lines;
        all[`${name}, ${columns} columns and ${end.length} in JSON`] = JSON.stringify(lines).slice(1, -1);
      }
  }
  return all;
}

/** Whatever would be a trace of a secret in a text. */
export function tracesOf(secret: string): readonly string[] {
  return [...plainForms(secret), ...tightForms(secret)];
}
