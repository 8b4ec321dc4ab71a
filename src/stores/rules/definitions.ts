import type {
  Definition,
  DefinitionErasure,
  DefinitionFilter,
  DefinitionKey,
  DefinitionMove,
  NewDraft,
  NewVersion,
} from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import { definitionOwner } from '../store.ts';
import { blobName } from '../blob-name.ts';
import type { Desk } from './tables.ts';
import type { Needs } from './needs.ts';

/** The same again by the same person is the one save whose answer was lost. */
export function saveDraft({ tables, now }: Desk, wanted: NewDraft): Definition {
  const { by, revision } = wanted;
  const key = keyOf(wanted);
  const { body, hash } = textOf(wanted);
  const draft = tables.definitions(key).find(isDraft);
  if (draft?.revision === revision + 1 && draft.hash === hash && draft.by === by) return draft;
  expectRevision(key, draft, revision);
  tables.dropBlobs(draftOwner(key));
  tables.addBlob({ tenant: key.tenant, run: draftOwner(key) }, hash, body);
  const saved = { ...key, version: 0, state: 'draft', revision: revision + 1, hash, by, at: now } as const;
  tables.keepDefinition(saved);
  return saved;
}

export function saveDraftNeeds(wanted: NewDraft): Needs {
  const { tenant } = wanted;
  const owner = draftOwner(wanted);
  const blob = textOf(wanted).hash;
  return { definitions: [keyOf(wanted)], blobs: [{ tenant, blob, run: owner }], blobsOf: [owner] };
}

/** What the newest version says already is not published once more; if that was archived, it is back. */
export function publish(desk: Desk, wanted: NewVersion): Definition {
  const { tables, now } = desk;
  const { by, revision } = wanted;
  const key = keyOf(wanted);
  const { body, hash } = textOf(wanted);
  const known = tables.definitions(key);
  const draft = known.find(isDraft);
  if (revision !== undefined) {
    expectRevision(key, draft, revision);
    if (draft?.hash !== hash)
      throw new RunError('rejected', `What is to be published is not what the draft of ${told(key)} says.`);
  }
  const newest = known.filter((row) => !isDraft(row)).at(-1);
  if (newest?.hash === hash && newest.state === 'published') return newest;
  const fresh = { ...key, version: (newest?.version ?? 0) + 1, revision: revision ?? 0, hash } as const;
  const made = newest?.hash === hash ? newest : { ...fresh, by, at: now };
  const published = { ...made, state: 'published' } as const;
  tables.addBlob({ tenant: key.tenant, run: versionsOwner(key) }, hash, body);
  tables.keepDefinition(published);
  return published;
}

export function publishNeeds(wanted: NewVersion): Needs {
  const { tenant } = wanted;
  const blob = textOf(wanted).hash;
  return { definitions: [keyOf(wanted)], blobs: [{ tenant, blob, run: versionsOwner(wanted) }] };
}

/** Archive a version, or bring it back. What it says, its number, and who made it when never change. */
export function moveDefinition({ tables }: Desk, wanted: DefinitionMove): Definition {
  const { version, state } = wanted;
  const key = keyOf(wanted);
  const versions = tables.definitions(key).filter((known) => !isDraft(known));
  const row = versions.find((known) => known.version === version);
  if (!row) {
    const others = versions.map((known) => known.version).join(', ');
    const known = others === '' ? 'none was published' : `it has ${others}`;
    throw new RunError('unknown', `There is no version ${version} of ${told(key)}: ${known}.`);
  }
  if (row.state === state) return row;
  const moved = { ...row, state };
  tables.keepDefinition(moved);
  return moved;
}

export function moveDefinitionNeeds(wanted: DefinitionMove): Needs {
  return { definitions: [keyOf(wanted)] };
}

/** Runs that began with it keep what they need. Erasing what is not there changes nothing. */
export function eraseDefinition({ tables }: Desk, wanted: DefinitionErasure): void {
  const key = keyOf(wanted);
  const known = tables.definitions(key);
  if (wanted.draft) expectRevision(key, known.find(isDraft), wanted.draft.revision);
  else tables.dropBlobs(versionsOwner(key));
  tables.dropBlobs(draftOwner(key));
  tables.removeDefinition(key);
  if (wanted.draft) for (const row of known) if (!isDraft(row)) tables.keepDefinition(row);
}

export function eraseDefinitionNeeds(wanted: DefinitionErasure): Needs {
  return { definitions: [keyOf(wanted)], blobsOf: [draftOwner(wanted), versionsOwner(wanted)] };
}

export function definitionsOf({ tables }: Desk, wanted: DefinitionKey): readonly Definition[] {
  return tables.definitions(keyOf(wanted));
}

export function definitionsOfNeeds(wanted: DefinitionKey): Needs {
  return { definitions: [keyOf(wanted)] };
}

export function listDefinitions({ tables }: Desk, filter: DefinitionFilter): readonly Definition[] {
  return tables.listDefinitions(filter);
}

export function listDefinitionsNeeds(definitionList: DefinitionFilter): Needs {
  return { definitionList };
}

function isDraft({ version }: Definition): boolean {
  return version === 0;
}

function expectRevision(key: DefinitionKey, draft: Definition | undefined, revision: number): void {
  if ((draft?.revision ?? 0) === revision) return;
  const what = told(key);
  if (!draft) throw new RunError('rejected', `There is no draft of ${what}: save one with revision 0 first.`);
  const when = new Date(draft.at).toISOString();
  const message = `The draft of ${what} is at revision ${draft.revision}, not ${revision}: ${draft.by} saved it at ${when}. Read it, then save again.`;
  throw new RunError('rejected', message);
}

function keyOf({ tenant, kind, name }: DefinitionKey): DefinitionKey {
  return { tenant, kind, name };
}

function told({ kind, name }: DefinitionKey): string {
  return `${kind} «${name}»`;
}

function textOf({ body }: { readonly body: string }): { readonly body: string; readonly hash: string } {
  const whole = body.toWellFormed();
  return { body: whole, hash: blobName(whole) };
}

/** Each save of a draft takes the place of the one before, in the blobs, too; versions stay. */
function draftOwner(key: DefinitionKey): string {
  return ownerOf('draft', key);
}

function versionsOwner(key: DefinitionKey): string {
  return ownerOf('versions', key);
}

function ownerOf(part: string, { tenant, kind, name }: DefinitionKey): string {
  return `${definitionOwner}${JSON.stringify([part, tenant, kind, name])}`;
}
