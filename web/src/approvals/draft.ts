import { useMemo, useState } from 'react';
import type { FlatApproval } from '../../../src/client/client.ts';
import type { WholeQuestion } from '../../../src/react/react.ts';
import type { Json } from '../../../src/run/values.ts';

/** One thing that can be changed in what is asked, or filled in. */
export interface DraftField {
  readonly name: string;
  readonly is: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly choices: readonly string[];
  readonly about: string;
  readonly isNeeded: boolean;
  /** What it is now, as it is written in the form. */
  readonly written: string;
  /** What it was, as it would be written. */
  readonly was: string;
  readonly isWrong: boolean;
}

/** What somebody makes of the arguments of a question before they agree. */
export interface Draft {
  /** Whether a value without fields is edited as one, such as a message. */
  readonly isWhole: boolean;
  readonly fields: readonly DraftField[];
  readonly changes: number;
  readonly isWrong: boolean;
  /** What would run. */
  readonly value: Json;
  readonly write: (name: string, text: string) => void;
  readonly reset: () => void;
}

type Schema = Readonly<Record<string, unknown>>;

/** The form of a question: from its schema where there is one, from the values themselves where there is none. */
export function useDraft(
  { schema: asked, editSchema }: Pick<FlatApproval, 'schema' | 'editSchema'>,
  whole: Pick<WholeQuestion, 'arguments'> | undefined,
): Draft {
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const given = whole?.arguments;
  const schema = given === undefined ? asked : (editSchema ?? asked);
  return useMemo(() => {
    const isWhole = given !== undefined && !isRecord(given);
    const fields = isWhole
      ? [fieldOf('', given, { schema: {}, isNeeded: true, written })]
      : fieldsOf(given ?? {}, isRecord(schema) ? schema : {}, written);
    const changed = fields.filter((field) => field.written !== field.was);
    return {
      isWhole,
      fields,
      changes: changed.length,
      isWrong: fields.some(({ isWrong }) => isWrong),
      value: isWhole ? (fields[0] ? valueOf(fields[0], given) : given) : assembled(fields, given ?? {}),
      write: (name, text) => setWritten((before) => ({ ...before, [name]: text })),
      reset: () => setWritten({}),
    };
  }, [given, schema, written]);
}

function fieldsOf(given: Json, schema: Schema, written: Readonly<Record<string, string>>): DraftField[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const values = isRecord(given) ? given : {};
  const needed = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(values)])];
  return names.map((name) => {
    const own = properties[name];
    const about = { schema: isRecord(own) ? own : {}, isNeeded: needed.includes(name), written };
    return fieldOf(name, values[name] as Json | undefined, about);
  });
}

interface About {
  readonly schema: Schema;
  readonly isNeeded: boolean;
  readonly written: Readonly<Record<string, string>>;
}

function fieldOf(name: string, value: Json | undefined, { schema, isNeeded, written }: About): DraftField {
  const choices = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
  const is = choices.length > 0 ? 'choice' : kindOf(value, schema['type']);
  const was = value === undefined ? '' : is === 'json' ? JSON.stringify(value, null, 2) : asText(value);
  const text = Object.hasOwn(written, name) ? (written[name] ?? '') : was;
  const about = typeof schema['description'] === 'string' ? schema['description'] : '';
  return { name, is, choices, about, isNeeded, written: text, was, isWrong: isWrong(is, text, isNeeded) };
}

function kindOf(value: Json | undefined, type: unknown): DraftField['is'] {
  const said = value === undefined ? type : Array.isArray(value) ? 'array' : typeof value;
  if (said === 'string') return 'text';
  if (said === 'number' || said === 'integer') return 'number';
  if (said === 'boolean') return 'boolean';
  return said === undefined ? 'text' : 'json';
}

function isWrong(is: DraftField['is'], text: string, isNeeded: boolean): boolean {
  if (text === '') return isNeeded && is !== 'text';
  if (is === 'number') return !Number.isFinite(Number(text));
  return is === 'json' && parsed(text) === undefined;
}

function assembled(fields: readonly DraftField[], given: Json): Json {
  const before = isRecord(given) ? (given as Readonly<Record<string, Json>>) : {};
  const value: Record<string, Json> = {};
  for (const field of fields) {
    const was = before[field.name];
    if (field.written === '' && was === undefined) continue;
    // «__proto__» is a name like any other.
    Object.defineProperty(value, field.name, {
      value: valueOf(field, was),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return value;
}

/** What was not touched is exactly what it was. */
function valueOf({ is, written, was, choices }: DraftField, before: Json | undefined): Json {
  if (written === was && before !== undefined) return before;
  if (is === 'number') return Number(written);
  if (is === 'boolean') return written === 'true';
  if (is === 'json') return parsed(written) ?? written;
  return is === 'choice' ? (choices.find((choice) => choice === written) ?? written) : written;
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
