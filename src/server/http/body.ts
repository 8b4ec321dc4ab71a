import { RunError } from '../../run/failure.ts';

/** Deeper than this nothing that is meant for us goes, and a parser that follows it can be made to fall. */
const deepest = 64;

/**
 * A body as JSON. What could mean one thing to one reader and another to the next is refused: a name that stands twice,
 * and names that reach the prototype of an object.
 */
export function strictJson(bytes: Buffer): unknown {
  expectShallow(bytes, 'The body');
  const text = bytes.toString();
  expectPlain(text, 'The body');
  try {
    return halfCharacter.test(text) ? JSON.parse(text, whole) : JSON.parse(text);
  } catch {
    throw new RunError('malformed', 'The body is not JSON.');
  }
}

/** Half a character can be written with an escape alone. What has one is kept by nobody as it came. */
const halfCharacter = /\\ud[89a-f]/i;

function whole(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

const [quote, backslash] = [0x22, 0x5c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** How deep it is shows in its bytes: of megabytes that nest without end no text is made, which would only be garbage. */
function expectShallow(bytes: Buffer, what: string): void {
  let [depth, isText] = [0, false];
  for (let i = 0; i < bytes.length; i += 1) {
    const sign = bytes[i] ?? 0;
    if (isText && sign === backslash) i += 1;
    else if (sign === quote) isText = !isText;
    else if (isText) continue;
    else if (sign === openObject || sign === openArray) depth += 1;
    else if (sign === closeObject || sign === closeArray) depth -= 1;
    if (depth > deepest) throw tooDeep(what);
  }
}

function tooDeep(what: string): RunError {
  return new RunError('malformed', `${what} is nested more than ${deepest} levels deep.`);
}

interface Open {
  /** The names an object has so far; an array has none. */
  readonly names: Set<string> | undefined;
  /** The name it stands under itself. */
  readonly under: string;
  /** The name that was read last. */
  name: string;
}

/** One pass over the text, before anything is made of it. Whether it is JSON at all is for the parser to say. */
export function expectPlain(text: string, what: string): void {
  const open: Open[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (sign === '{' || sign === '[') {
      open.push({ names: sign === '{' ? new Set() : undefined, under: open.at(-1)?.name ?? '', name: '' });
      if (open.length > deepest) throw tooDeep(what);
    } else if (sign === '}' || sign === ']') open.pop();
    else if (sign === '"') {
      const end = endOfString(text, i);
      if (isName(text, end)) expectFresh(open.at(-1), plain(text.slice(i, end)), what);
      i = end - 1;
    }
  }
}

/** The place after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function isName(text: string, end: number): boolean {
  let i = end;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\t' || text[i] === '\r') i += 1;
  return text[i] === ':';
}

function expectFresh(open: Open | undefined, name: string, what: string): void {
  if (name === '__proto__' || (name === 'prototype' && open?.under === 'constructor'))
    throw new RunError('malformed', `${what} has a field «${name}», which is not allowed anywhere.`);
  if (open?.names?.has(name))
    throw new RunError('malformed', `${what} has the field «${name.slice(0, 60)}» twice: give each once.`);
  open?.names?.add(name);
  if (open) open.name = name;
}

function plain(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    // The parser will refuse the whole.
    return quoted;
  }
}
