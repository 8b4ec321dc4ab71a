import {
  configurationTenant,
  type Definition,
  type DefinitionFilter,
  type DefinitionKey,
} from '../run/definition.ts';
import { findDefinition, noDefinition } from '../engine/record/definition.ts';
import { RunError } from '../run/failure.ts';
import type { Json } from '../run/values.ts';
import type { Store } from '../stores/store.ts';
import { bodyIn, bodyText } from './definition-body.ts';
import { keepMaker, makersOf } from './definition-makers.ts';
import { forgetMoves, keepMove, movesOf, type Moves } from './definition-moves.ts';
import { differences, type Difference } from './definition-diff.ts';

/** Who asks. */
export interface Author {
  readonly tenant: string;
  readonly who: string;
  /** An operator changes what anybody made, a viewer nothing. */
  readonly role?: string | undefined;
}

/** Which definition; of several versions the newest that is published, unless one is named. 0 is the draft. */
export interface Which {
  readonly kind: string;
  readonly name: string;
  readonly version?: number | undefined;
}

export interface Version extends Which {
  readonly version: number;
}

/** A definition with what it says. */
export interface WholeDefinition {
  readonly definition: Definition;
  readonly body: Json;
}

export interface DraftRequest extends Which {
  readonly body: unknown;
  /** Of the draft that was read; 0 where there is none. */
  readonly revision: number;
}

/** What can be done with definitions, whatever kind they are of. */
export interface DefinitionsFront {
  list(author: Author, filter?: Omit<DefinitionFilter, 'tenant'>): Promise<readonly Definition[]>;
  read(author: Author, which: Which): Promise<WholeDefinition>;
  draft(author: Author, request: DraftRequest): Promise<Definition>;
  publish(author: Author, draft: Which & { readonly revision: number }): Promise<Definition>;
  /** A draft under another name, of any version that can be read. */
  clone(author: Author, which: Which, name: string): Promise<Definition>;
  /** It can be started no more. Runs that began with it go on. */
  archive(author: Author, which: Version): Promise<Definition>;
  restore(author: Author, which: Version): Promise<Definition>;
  /** Who archived or restored a version last, and when. */
  moves(author: Author, which: Which): Promise<Moves>;
  diff(author: Author, from: Which, to: Which): Promise<readonly Difference[]>;
  /** Every version: the draft first, then the oldest. Of a name that is the configuration's, its. */
  versions(author: Author, which: Which): Promise<readonly Definition[]>;
  /** Throw the draft away, as it was read. */
  dropDraft(author: Author, draft: Which & { readonly revision: number }): Promise<void>;
  /** The draft and every version. Runs keep what they began with. */
  erase(author: Author, which: Which): Promise<void>;
  /** Fails where somebody may not change what is there under a name. */
  expectOwn(author: Author, which: Which): Promise<void>;
  /** Publish what a configuration says. Nobody can change it but another configuration. */
  provide(which: Which, body: unknown): Promise<WholeDefinition>;
  /** Archive what a configuration said and says no more. */
  retire(kind: string, stays: readonly string[]): Promise<void>;
}

/** Fails, with the field and the fix, where a body cannot be kept as a draft, or published. */
export type BodyCheck = (
  body: Json,
  about: DefinitionKey & { readonly state: 'draft' | 'published' },
) => void | Promise<void>;

export interface DefinitionsSettings {
  readonly store: Pick<Store, 'definitions' | 'blobs' | 'shared'>;
  /** Each kind there is, and what a body of it must be. */
  readonly kinds: Readonly<Record<string, BodyCheck>>;
  /** Takes secrets out: they are recorded nowhere. */
  readonly clean: (body: Json) => Json;
  readonly now: () => number;
}

export function definitionsFront(settings: DefinitionsSettings): DefinitionsFront {
  const { definitions } = settings.store;
  const read: DefinitionsFront['read'] = (author, which) => whole(settings, author, which);
  const draft: DefinitionsFront['draft'] = async (author, { kind, name, body, revision }) => {
    const key = await ownKey(settings, author, { kind, name });
    const text = await checked(settings, { ...key, state: 'draft' }, body);
    return definitions.draft({ ...key, body: text, revision, by: author.who });
  };
  return {
    read,
    draft,
    async publish(author, { kind, name, revision }) {
      const key = await ownKey(settings, author, { kind, name });
      const { body } = await read(author, { ...key, version: 0 });
      const text = await checked(settings, { ...key, state: 'published' }, body);
      // One that was saved meanwhile is not what was looked at: the store refuses it by its revision.
      return definitions.publish({ ...key, body: text, revision, by: author.who });
    },
    async clone(author, which, name) {
      const { body } = await read(author, which);
      return draft(author, { kind: which.kind, name, body, revision: 0 });
    },
    archive: (author, which) => move(settings, author, { ...which, state: 'archived' }),
    restore: (author, which) => move(settings, author, { ...which, state: 'published' }),
    async diff(author, from, to) {
      const [before, after] = await Promise.all([read(author, from), read(author, to)]);
      return differences(before.body, after.body);
    },
    async dropDraft(author, { kind, name, revision }) {
      const key = await ownKey(settings, author, { kind, name });
      await definitions.erase({ ...key, draft: { revision } });
    },
    async erase(author, { kind, name }) {
      const key = await ownKey(settings, author, { kind, name });
      await definitions.erase(key);
      await forgetMoves(settings.store.shared, key);
    },
    moves: ({ tenant }, { kind, name }) => movesOf(settings.store.shared, { tenant, kind, name }),
    async expectOwn(author, which) {
      await ownKey(settings, author, which);
    },
    ...listings(settings),
    ...configurations(settings),
  };
}

/** Who made it stays its maker; who moves it is kept apart, where anything is moved. */
async function move(
  settings: DefinitionsSettings,
  author: Author,
  { kind, name, version, state }: Version & { readonly state: 'published' | 'archived' },
): Promise<Definition> {
  const { definitions, shared } = settings.store;
  const key = await ownKey(settings, author, { kind, name });
  const before = (await definitions.versions(key)).find((row) => row.version === version);
  const moved = await definitions.move({ ...key, version, state });
  if (before?.state !== state) await keepMove(shared, key, { version, by: author.who, at: settings.now() });
  return moved;
}

function listings({
  store: { definitions },
}: DefinitionsSettings): Pick<DefinitionsFront, 'list' | 'versions'> {
  return {
    list: async ({ tenant }, filter = {}) => definitions.list({ ...filter, tenant }),
    async versions({ tenant }, { kind, name }) {
      const own = await definitions.versions({ tenant, kind, name });
      return own.length > 0 ? own : definitions.versions({ tenant: configurationTenant, kind, name });
    },
  };
}

function configurations(settings: DefinitionsSettings): Pick<DefinitionsFront, 'provide' | 'retire'> {
  const { definitions } = settings.store;
  return {
    async provide({ kind, name }, given) {
      const key = { tenant: configurationTenant, kind, name };
      const body = await checked(settings, { ...key, state: 'published' }, given);
      const definition = await definitions.publish({ ...key, body, by: configurationTenant });
      return { definition, body: bodyIn(body) };
    },
    async retire(kind, stays) {
      const tenant = configurationTenant;
      for (let after: Definition | undefined; ;) {
        const rows = await definitions.list({ tenant, kind, state: 'published', after });
        for (const { name, version } of rows)
          if (!stays.includes(name))
            await definitions.move({ tenant, kind, name, version, state: 'archived' });
        after = rows.at(-1);
        if (!after) return;
      }
    },
  };
}

/** The caller's own, or the configuration's. */
async function whole(
  { store }: DefinitionsSettings,
  { tenant }: Author,
  which: Which,
): Promise<WholeDefinition> {
  const found = await findDefinition(store, tenant, which);
  if (!found) throw noDefinition(which);
  return { definition: found.definition, body: bodyIn(found.text) };
}

/**
 * What somebody may change under a name: nothing is there yet, or they made something of it. What the configuration says is
 * everybody's, so nobody else can have that name.
 */
async function ownKey(
  { store, kinds }: DefinitionsSettings,
  author: Author,
  { kind, name }: Which,
): Promise<DefinitionKey> {
  const { tenant } = author;
  if (!Object.hasOwn(kinds, kind)) {
    const known = Object.keys(kinds).join(', ');
    throw new RunError('malformed', `«kind» is «${kind.slice(0, 80)}»: give one of ${known}.`);
  }
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new RunError('malformed', '«name» has up to 64 letters, digits, _, - and .');
  const taken = await store.definitions.versions({ tenant: configurationTenant, kind, name });
  if (taken.length === 0) {
    const key = { tenant, kind, name };
    await expectMaker(store, author, key);
    return key;
  }
  const message = `The ${kind} «${name}» is the configuration's and cannot be changed here: change it there, or clone it under another name.`;
  throw new RunError('rejected', message);
}

async function expectMaker(
  { definitions, shared }: DefinitionsSettings['store'],
  { who, role }: Author,
  key: DefinitionKey,
): Promise<void> {
  if (role === 'viewer') throw new RunError('refused', 'A viewer changes nothing: ask for another role.');
  const makers = await makersOf(shared, key, await definitions.versions(key));
  const [first] = makers;
  // Of what was erased nobody is the maker any more.
  if (first === undefined) return keepMaker(shared, key, null);
  if (makers.includes(who)) return;
  if (role === 'operator') return keepMaker(shared, key, first);
  const message = `The ${key.kind} «${key.name}» was made by ${makers.join(', ')}: ask them or an operator to change it, or clone it under another name.`;
  throw new RunError('refused', message);
}

async function checked(
  { kinds, clean }: DefinitionsSettings,
  about: Parameters<BodyCheck>[1],
  body: unknown,
): Promise<string> {
  const { kind, name } = about;
  const what = `The ${kind} «${name}»`;
  const read = clean(bodyIn(bodyText(body, what)));
  await kinds[kind]?.(read, about);
  return bodyText(read, what);
}
