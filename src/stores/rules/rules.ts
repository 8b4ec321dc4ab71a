import {
  blob,
  blobNeeds,
  blobUsers,
  blobUsersNeeds,
  held,
  heldNeeds,
  put,
  putNeeds,
  append,
  appendNeeds,
  read,
  readNeeds,
  hold,
  holdNeeds,
  letGo,
  letGoNeeds,
} from './journal.ts';
import { damage, damageNeeds } from './damage.ts';
import type { Desk } from './tables.ts';
import * as definitions from './definitions.ts';
import * as dispatch from './dispatch.ts';
import { feed, feedNeeds, reindex, reindexNeeds } from './feed.ts';
import { pending, pendingNeeds, send, sendNeeds } from './mailbox.ts';
import type { Needs } from './needs.ts';
import { share, shared, sharedNeeds, shareNeeds } from './shared.ts';

const { saveDraft, publish, moveDefinition, eraseDefinition, definitionsOf, listDefinitions } = definitions;
const { create, claim, renew, release, handBack, erase, get, find, list, unfinished } = dispatch;
const { questions, count, flows } = dispatch;

/**
 * What a store does, once: every adapter runs these same functions over its own rows, so what a simulation shows about
 * the memory store holds for what SQLite does. Each takes one argument, so that an operation can travel to a thread.
 */
const runWrites = { append, create, claim, renew, release, handBack, hold, letGo, erase, send, put, damage };
const runReads = { read, get, find, list, feed, unfinished, questions, count, flows, pending };
const writes = { ...runWrites, reindex, share, saveDraft, publish, moveDefinition, eraseDefinition };
const reads = { ...runReads, blob, blobUsers, held, shared, definitionsOf, listDefinitions };

const rules = { ...writes, ...reads };
type Rules = typeof rules;
export type Write = keyof typeof writes;
export type Read = keyof typeof reads;
export type OperationName = Write | Read;
export type Argument<Name extends OperationName> = Parameters<Rules[Name]>[1];
export type Result<Name extends OperationName> = ReturnType<Rules[Name]>;

export function perform<Name extends OperationName>(
  desk: Desk,
  name: Name,
  argument: Argument<Name>,
): Result<Name> {
  const rule = rules[name] as (desk: Desk, argument: Argument<Name>) => Result<Name>;
  return rule(desk, argument);
}

const needs: { readonly [Name in OperationName]: (argument: Argument<Name>) => Needs } = {
  append: appendNeeds,
  create: dispatch.createNeeds,
  claim: dispatch.claimNeeds,
  renew: dispatch.renewNeeds,
  release: dispatch.releaseNeeds,
  handBack: dispatch.handBackNeeds,
  hold: holdNeeds,
  letGo: letGoNeeds,
  erase: dispatch.eraseNeeds,
  send: sendNeeds,
  put: putNeeds,
  share: shareNeeds,
  damage: damageNeeds,
  reindex: reindexNeeds,
  read: readNeeds,
  get: dispatch.getNeeds,
  find: dispatch.findNeeds,
  list: dispatch.listNeeds,
  feed: feedNeeds,
  unfinished: dispatch.unfinishedNeeds,
  questions: dispatch.questionsNeeds,
  count: dispatch.countNeeds,
  flows: dispatch.flowsNeeds,
  pending: pendingNeeds,
  blob: blobNeeds,
  blobUsers: blobUsersNeeds,
  held: heldNeeds,
  shared: sharedNeeds,
  saveDraft: definitions.saveDraftNeeds,
  publish: definitions.publishNeeds,
  moveDefinition: definitions.moveDefinitionNeeds,
  eraseDefinition: definitions.eraseDefinitionNeeds,
  definitionsOf: definitions.definitionsOfNeeds,
  listDefinitions: definitions.listDefinitionsNeeds,
};

/** The rows that an operation works on: each rule declares them beside itself. */
export function needsOf<Name extends OperationName>(name: Name, argument: Argument<Name>): Needs {
  return needs[name](argument);
}
