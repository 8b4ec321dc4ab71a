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
 * before it decides which of three texts it becomes; Base64 of that, too.
 */
export function tightForms(secret: string): readonly string[] {
  const bytes = encoder.encode(secret.toWellFormed());
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = inBase64(bytes);
  const twice = base64.flatMap((once) => inBase64(encoder.encode(once)));
  const forms = [...plainForms(secret), ...base64, ...twice, hex, hex.toUpperCase()];
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

/** A character for each byte, as programs show bytes that they do not take for text. */
function inBytes(secret: string): string {
  return Array.from(encoder.encode(secret), (byte) => String.fromCharCode(byte)).join('');
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
    const binary = Array.from(padded, (byte) => String.fromCharCode(byte)).join('');
    const own = btoa(binary).slice(Math.ceil((before * 4) / 3), Math.floor((padded.length * 4) / 3));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
