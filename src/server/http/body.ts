import { RunError } from '../../run/failure.ts';
import type { IncomingMessage } from 'node:http';
import type { ServerContext } from '../context.ts';
import type { FastifyRequest, FastifyReply } from 'fastify';
import { headHeader } from '../../wire/native/runs.ts';

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

/** So much of what one sends is read as fast as it comes; from then on so many bytes a second. */
const atOnce = 64 * 1024 * 1024;
const steady = 8 * 1024 * 1024;
/** What is shorter is never waited for. Bytes. */
const small = 64 * 1024;
/** A shorter wait is no wait. Milliseconds. */
const least = 5;
/** Beyond so many senders those who owe nothing are forgotten. */
const remembered = 10_000;

export type BodyPace = (request: IncomingMessage, sender: () => string) => void;

/**
 * Whoever sends without end is read slowly, also where all of it is refused: to read is to make garbage, and everybody waits while
 * it is collected. Nothing of the body is read before somebody asks for it.
 */
export function bodyPace(now: () => number = () => performance.now()): BodyPace {
  /** When all that was read of a sender would have been read at the steady rate. */
  const readUntil = new Map<string, number>();
  const waitAfter = (sender: string, bytes: number): number => {
    const at = now();
    const until = Math.max(readUntil.get(sender) ?? 0, at) + (bytes / steady) * 1_000;
    if (readUntil.size >= remembered)
      for (const [one, paid] of readUntil) if (paid <= at) readUntil.delete(one);
    readUntil.set(sender, until);
    return until - at - (atOnce / steady) * 1_000;
  };
  return (request, sender) => {
    if (!isLarge(request)) return;
    request.pause();
    request.on('data', ({ length }: Buffer) => {
      const wait = waitAfter(sender(), length);
      if (wait < least) return;
      request.pause();
      setTimeout(() => request.resume(), wait);
    });
  };
}

function isLarge({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > small;
}

// What pages of other sites may ask, and what they are told.
/** Other sites may use this server only if the configuration names them. */
export function welcomeGuest(
  { door }: ServerContext,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('vary', 'Origin');
  const origin = door.guestOrigin(headers);
  if (origin === undefined) return;
  reply.headers({
    ...asking(headers),
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** What pages need to go on: clients of MCP have their session there, and every client its run. */
const exposed = [headHeader, 'location', 'x-run-id', 'mcp-session-id', 'retry-after'].join(', ');

/**
 * Each official client has headers of its own (`x-stainless-os`, `mcp-protocol-version`, `api-key`), and more with each version: a
 * page may send what it asks for. Who it is, is what counts.
 */
function asking({
  'access-control-request-headers': asked = '',
}: FastifyRequest['headers']): Record<string, string> {
  const names = /^[\w, -]{1,2000}$/.test(asked) ? asked : 'authorization, content-type';
  return {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': names,
  };
}

/**
 * A browser shows a page nothing of what another site answers: the people of a page that is not named would read that the
 * server cannot be reached. So they may ask, and read that they may not. They get nothing else: whatever has such an
 * origin is refused before any of it is read.
 */
export function strangerHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  return { ...asking(headers), 'access-control-allow-origin': '*' };
}
