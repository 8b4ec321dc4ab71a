import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Tool as Definition } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { RunError } from '../run/failure.ts';

/** What each tool of each server was when it was last approved. Data only: who is told of a change is not its business. */
export interface Pins {
  get(key: string): Promise<string | undefined>;
  set(key: string, pin: string): Promise<void>;
}

/** Everything a person judges a tool by: where it runs, and what it says about itself. */
export function pinOf(endpoint: string, definition: Definition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  return `${hash(endpoint)}.${hash(canonical({ name, title, description, inputSchema, outputSchema, annotations }))}`;
}

/** Why a tool must be approved again, or nothing if it is what it was. */
export function changeOf(pinned: string, current: string): string | undefined {
  if (pinned === current) return undefined;
  const [where, what] = pinned.split('.');
  const [nowWhere, nowWhat] = current.split('.');
  const parts = [
    ...(where === nowWhere ? [] : ['the command or address of its server']),
    ...(what === nowWhat ? [] : ['its description, schema or annotations']),
  ];
  return `${parts.join(' and ')} changed since it was approved`;
}

export function memoryPins(): Pins {
  const pins = new Map<string, string>();
  return {
    get: (key) => Promise.resolve(pins.get(key)),
    set: (key, pin) => {
      pins.set(key, pin);
      return Promise.resolve();
    },
  };
}

/** Pins in one JSON file, replaced as a whole, so that a crash leaves the old or the new one. One of these per file. */
export function filePins(path: string): Pins {
  let known: ReadonlyMap<string, string> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const load = async (): Promise<ReadonlyMap<string, string>> => (known ??= await read(path));
  const add = async (key: string, pin: string): Promise<void> => {
    const pins = new Map(await load()).set(key, pin);
    await write(path, pins);
    known = pins;
  };
  return {
    get: async (key) => (await load()).get(key),
    set(key, pin) {
      const next = last.then(() => add(key, pin));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

const File = z.record(z.string(), z.string());

/** A damaged file is an error: read as empty, every tool would count as seen for the first time and be trusted. */
async function read(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{}';
    throw new RunError('unavailable', `The MCP pins in ${path} cannot be read; check the file.`, {
      cause: error,
    });
  });
  try {
    return new Map(Object.entries(File.parse(JSON.parse(text))));
  } catch (error) {
    throw new RunError(
      'malformed',
      `The MCP pins in ${path} are damaged; restore the file, or delete it and approve the tools anew.`,
      { cause: error },
    );
  }
}

async function write(path: string, pins: ReadonlyMap<string, string>): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(Object.fromEntries(pins), null, 1)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The order of keys says nothing, and servers do not keep to one. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
