import { readingOf } from './spelled.ts';
import { tightTextOf, unread } from './tight.ts';

const encoder = new TextEncoder();
const allUnread = new RegExp(unread, 'gu');
/** So little of a secret, as it reads, would be found in words. */
const shortestReading = 8;

/**
 * What is looked for in a text as it came and as it reads: the secret, the secret as it reads (in one that holds `%41` or
 * a backslash that is another), and what JSON makes of it, where what stands beside it could be read together with it.
 */
export function plainForms(secret: string): readonly string[] {
  const json = inJson(secret.toWellFormed());
  const spaces = secret.replaceAll(' ', '+');
  const readings = [secret, spaces].map((form) => readingOf(form)?.text ?? form);
  const forms = [secret, spaces, json, inJson(json), inBytes(secret), ...readings.filter(isLongEnough)];
  return [...new Set(readings.every(isLongEnough) ? forms : [...forms, ...inAddresses(secret)])];
}

/**
 * What is looked for as it reads, without what is read over: the same, hexadecimal digits, and Base64, where what stands
 * before it decides which of three texts it becomes; Base64 of that, too. The bytes may be those of UTF-16.
 */
export function tightForms(secret: string): readonly string[] {
  const bytes = encoder.encode(secret.toWellFormed());
  const wide = [inUtf16(secret, 'little'), inUtf16(secret, 'big')];
  const hex = [bytes, ...wide].map(inHex);
  const base64 = inBase64(bytes);
  const twice = base64.flatMap((once) => inBase64(encoder.encode(once)));
  const forms = [
    ...plainForms(secret),
    ...wide.map(asText),
    ...base64,
    ...wide.flatMap(inBase64),
    ...twice,
    ...hex,
    ...hex.map((digits) => digits.toUpperCase()),
  ];
  // What looks like bytes with commas in the middle of a secret does not when each letter stands alone.
  const tight = forms.flatMap((form) => [tightTextOf(form), form.replaceAll(allUnread, '')]);
  return [...new Set(tight.filter(isLongEnough))];
}

function isLongEnough({ length }: string): boolean {
  return length >= shortestReading;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inBytes(secret: string): string {
  return asText(encoder.encode(secret));
}

/** A character for each byte, as programs show bytes that they do not take for text. */
function asText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

function inUtf16(secret: string, order: 'little' | 'big'): Uint8Array {
  const view = new DataView(new ArrayBuffer(secret.length * 2));
  for (let i = 0; i < secret.length; i += 1) view.setUint16(i * 2, secret.charCodeAt(i), order === 'little');
  return new Uint8Array(view.buffer);
}

function inHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function inAddresses(secret: string): readonly string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  return [url, url.replaceAll(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase())];
}

/** What is the same whatever stands before and after: a sign of Base64 has six bits, some of them of the neighbours. */
function inBase64(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const own = btoa(asText(padded)).slice(Math.ceil((before * 4) / 3), Math.floor((padded.length * 4) / 3));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
