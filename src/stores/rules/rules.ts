import { blob, held, put } from './blobs.ts';
import { damage } from './damage.ts';
import type { Desk } from './desk.ts';
import {
  claim,
  count,
  create,
  erase,
  find,
  get,
  handBack,
  list,
  questions,
  release,
  renew,
} from './dispatch.ts';
import { append, read } from './journal.ts';
import { hold, letGo } from './lines.ts';
import { pending, send } from './mailbox.ts';

/**
 * What a store does, once: every adapter runs these same functions over its own rows, so what a simulation shows about
 * the memory store holds for what SQLite does. Each takes one argument, so that an operation can travel to a thread.
 */
const writes = { append, create, claim, renew, release, handBack, hold, letGo, erase, send, put, damage };
const reads = { read, get, find, list, questions, count, pending, blob, held };

const rules = { ...writes, ...reads };
type Rules = typeof rules;
export type Write = keyof typeof writes;
export type Read = keyof typeof reads;
export type Operation = Write | Read;
export type Argument<Name extends Operation> = Parameters<Rules[Name]>[1];
export type Result<Name extends Operation> = ReturnType<Rules[Name]>;

export function perform<Name extends Operation>(
  desk: Desk,
  name: Name,
  argument: Argument<Name>,
): Result<Name> {
  const rule = rules[name] as (desk: Desk, argument: Argument<Name>) => Result<Name>;
  return rule(desk, argument);
}
