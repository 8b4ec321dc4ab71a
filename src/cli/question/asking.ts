import type { Command } from '../../run/commands.ts';
import type { Approval } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Key } from '../terminal/keyboard.ts';
import type { WholeQuestion } from './whole-question.ts';
import { entered, textEntry, typed, type TextEntry } from '../terminal/text-entry.ts';

type Decide = Extract<Command, { type: 'decide' }>;
export type Choice = Decide['decision'];

/** Where a person is in answering. */
export type Asking =
  | { readonly at: 'choice'; readonly problem?: string }
  | { readonly at: 'arguments' | 'answer'; readonly entry: TextEntry; readonly problem?: string }
  | {
      readonly at: 'reason';
      readonly decision: Choice;
      readonly entry: TextEntry;
      /** What shall run instead, after an edit. */
      readonly edited?: Json;
    };

/** What a key makes happen outside the question itself. */
export type Asked =
  | { readonly type: 'decide'; readonly decision: Omit<Decide, 'type' | 'by'> }
  | { readonly type: 'showAll' }
  | { readonly type: 'openEditor' };

export interface Question extends WholeQuestion {
  readonly approval: Approval;
  readonly hasEditor: boolean;
  /** Why nothing can be let happen yet: not all of it was there to see. */
  readonly unseen?: string | undefined;
}

const keys: Readonly<Record<string, Choice>> = { a: 'approve', r: 'reject', e: 'edit', d: 'defer' };

/** The next state after a key, and what follows from it. */
export function press(asking: Asking, key: Key, question: Question): readonly [Asking, Asked?] {
  if (asking.at === 'choice') return choose(asking, key, question);
  if (key.name === 'escape') return [{ at: 'choice' }];
  const isEntered = key.name === 'return' || key.name === 'enter';
  if (!isEntered) return [{ ...asking, entry: typed(asking.entry, key) }];
  if (asking.at === 'reason') return decide(asking, question);
  const value = jsonIn(asking.entry);
  if (value === undefined) return [{ ...asking, problem: 'This is not JSON yet.' }];
  if (asking.at === 'answer') return [{ at: 'choice' }, decision(question, 'approve', { answer: value })];
  return [edited(value)];
}

/** An edit as somebody wrote it: it is shown once more before it counts. */
export function edited(value: Json): Asking {
  return { at: 'reason', decision: 'edit', entry: textEntry(), edited: value };
}

function choose(asking: Asking, { name, ctrl, text }: Key, question: Question): readonly [Asking, Asked?] {
  const { approval, value, hasEditor } = question;
  if (!ctrl && text === 'v') return [asking, { type: 'showAll' }];
  const choice = ctrl ? undefined : keys[name];
  if (choice === undefined || !isAllowed(approval, choice)) return [asking];
  const { unseen } = question;
  if (unseen !== undefined && (choice === 'approve' || choice === 'edit'))
    return [{ at: 'choice', problem: unseen }];
  if (choice === 'edit') {
    if (hasEditor) return [asking, { type: 'openEditor' }];
    return [{ at: 'arguments', entry: textEntry(JSON.stringify(value)) }];
  }
  if (choice === 'approve' && approval.schema !== undefined) {
    return [{ at: 'answer', entry: textEntry(JSON.stringify(templateOf(approval.schema))) }];
  }
  return [{ at: 'reason', decision: choice, entry: textEntry() }];
}

export function isAllowed({ allowed }: Approval, choice: Choice): boolean {
  return allowed.includes(choice);
}

function decide(asking: Extract<Asking, { at: 'reason' }>, question: Question): readonly [Asking, Asked] {
  const rationale = entered(asking.entry).trim();
  const more = {
    ...(rationale === '' ? {} : { rationale }),
    ...(asking.edited === undefined ? {} : { arguments: asking.edited }),
  };
  return [{ at: 'choice' }, decision(question, asking.decision, more)];
}

function decision(
  { approval: { approval, fingerprint } }: Question,
  choice: Choice,
  more: Partial<Pick<Decide, 'rationale' | 'arguments' | 'answer'>>,
): Asked {
  return { type: 'decide', decision: { approval, fingerprint, decision: choice, ...more } };
}

function jsonIn(entry: TextEntry): Json | undefined {
  try {
    return JSON.parse(entered(entry)) as Json;
  } catch {
    // Not finished, or not JSON: whoever writes it is told so and stays where they are.
    return undefined;
  }
}

/** What a schema asks for, empty, to be filled in. */
function templateOf(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return null;
  const { type, properties, default: given } = schema as Readonly<Record<string, Json | undefined>>;
  if (given !== undefined) return given;
  if (type === 'string') return '';
  if (type === 'number' || type === 'integer') return 0;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (typeof properties !== 'object' || properties === null) return type === 'object' ? {} : null;
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, templateOf(inner)]));
}
