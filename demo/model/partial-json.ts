import type { Json } from './json.ts';

/**
 * Reads JSON that may break off anywhere, as a long tool result does that was cut to fit. What is complete is kept, a text
 * that was cut is kept as far as it goes, and `undefined` means that it is no JSON at all.
 */
export function partialJson(text: string): Json | undefined {
  const reader = { text, at: 0, isCut: false };
  skipSpace(reader);
  const value = readValue(reader);
  skipSpace(reader);
  return reader.isCut || reader.at === text.length ? value : undefined;
}

interface Reader {
  readonly text: string;
  at: number;
  isCut: boolean;
}

function readValue(reader: Reader): Json | undefined {
  const first = reader.text[reader.at];
  if (first === '{') return readObject(reader);
  if (first === '[') return readArray(reader);
  if (first === '"') return readString(reader);
  return readWord(reader);
}

function readObject(reader: Reader): Json | undefined {
  const entries: [string, Json][] = [];
  reader.at += 1;
  for (skipSpace(reader); reader.text[reader.at] !== '}'; skipSpace(reader)) {
    const name = readString(reader);
    skipSpace(reader);
    if (name === undefined || reader.isCut || reader.text[reader.at] !== ':') break;
    reader.at += 1;
    skipSpace(reader);
    const value = readValue(reader);
    if (value !== undefined) entries.push([name, value]);
    if (!hasNext(reader, '}')) break;
  }
  return finish(reader, '}') ? Object.fromEntries(entries) : undefined;
}

function readArray(reader: Reader): Json | undefined {
  const values: Json[] = [];
  reader.at += 1;
  for (skipSpace(reader); reader.text[reader.at] !== ']'; skipSpace(reader)) {
    const value = readValue(reader);
    if (value !== undefined) values.push(value);
    if (!hasNext(reader, ']')) break;
  }
  return finish(reader, ']') ? values : undefined;
}

/** Moves past a comma. False at the end of the list, and where the text breaks off. */
function hasNext(reader: Reader, end: string): boolean {
  skipSpace(reader);
  const sign = reader.text[reader.at];
  if (sign === undefined) reader.isCut = true;
  if (reader.isCut || sign === end || sign !== ',') return false;
  reader.at += 1;
  return true;
}

function finish(reader: Reader, end: string): boolean {
  if (reader.at >= reader.text.length) reader.isCut = true;
  if (reader.isCut) return true;
  const isEnd = reader.text[reader.at] === end;
  if (isEnd) reader.at += 1;
  return isEnd;
}

function readString(reader: Reader): string | undefined {
  if (reader.text[reader.at] !== '"') return undefined;
  const body = /"(?:[^"\\]|\\.)*/sy;
  body.lastIndex = reader.at;
  const found = body.exec(reader.text)?.[0] ?? '"';
  const isWhole = reader.text[reader.at + found.length] === '"';
  reader.at += found.length + (isWhole ? 1 : 0);
  if (!isWhole) reader.isCut = true;
  // A cut may fall inside an escape, which is then left out.
  const whole = isWhole ? found : found.replace(/\\u[\da-f]{0,3}$/i, '');
  return asJson(`${whole}"`);
}

function asJson(text: string): string | undefined {
  try {
    const value: string = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function readWord(reader: Reader): Json | undefined {
  const word = /[-+.\w]*/y;
  word.lastIndex = reader.at;
  const found = word.exec(reader.text)?.[0] ?? '';
  reader.at += found.length;
  if (reader.at === reader.text.length && !isLiteral(found)) reader.isCut = true;
  return isLiteral(found) ? literal(found) : undefined;
}

/** A whole number that a double cannot hold stays a text: rounded it would be a wrong answer. */
function literal(word: string): Json {
  const value: Json = JSON.parse(word);
  return typeof value === 'number' && /^-?\d+$/.test(word) && !Number.isSafeInteger(value) ? word : value;
}

function isLiteral(word: string): boolean {
  return /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(word);
}

function skipSpace(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at += 1;
}
