import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Preferences } from '../../projections/projection.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Shared, SharedValue } from '../../stores/store.ts';
import { badgeSecret, isWhole } from '../access/badges.ts';
import { personNamed, signedOutKind, SignedOut } from '../access/ended-badges.ts';
import { jsonIn } from '../access/json-in.ts';
import { KeyRecord, keysKind } from '../access/keys.ts';
import { appPreferences } from '../compose/app-preferences.ts';
import { Pinned, pinsKind, withoutSecrets, type Clean } from '../compose/store-pins.ts';

/** What earlier versions kept in files beside the runs is in the store now. */
interface OldFile {
  readonly name: string;
  /** What it says, or a failure that says what to do about it. */
  readonly read: (bytes: Buffer, { path, clean }: Place) => readonly SharedValue[];
}

interface Place {
  readonly path: string;
  readonly clean: Clean;
}

/** A folder that an earlier version may have worked in. */
export interface OldFolder {
  readonly folder: string;
  /** Takes out what must not be kept. */
  readonly clean: Clean;
}

/**
 * Shared values of a folder that an earlier version may have worked in: what its files say counts until it is in the store,
 * and a file goes once all it says is there. Where nothing can be written they stay, and count.
 */
export async function takenOver(shared: Shared, folder: OldFolder): Promise<Shared> {
  const old = oldValues(folder);
  if (old.length === 0) return shared;
  try {
    for (const { path, values } of old) {
      for (const value of values) if (!(await isThere(shared, value))) await shared.set(value);
      rmSync(path, { force: true });
    }
    return shared;
  } catch (thrown) {
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
    return { ...withOldFiles(shared, folder), set: (change) => shared.set(change) };
  }
}

/** The same for those who only read. */
export function withOldFiles(shared: Pick<Shared, 'list'>, folder: OldFolder): Pick<Shared, 'list'> {
  const old = oldValues(folder).flatMap(({ values }) => values);
  if (old.length === 0) return shared;
  return {
    async list(filter) {
      const kept = await shared.list(filter);
      const { kind, tenant, name } = filter;
      const more = old.filter(
        (value) =>
          value.kind === kind &&
          (tenant ?? value.tenant) === value.tenant &&
          (name ?? value.name) === value.name &&
          !kept.some((known) => known.tenant === value.tenant && known.name === value.name),
      );
      return [...kept, ...more];
    },
  };
}

/** Whether an earlier version left something there. */
export function hasOldFiles(folder: string): boolean {
  return oldFiles.some(({ name }) => existsSync(join(folder, name)));
}

async function isThere(shared: Shared, { kind, tenant, name }: SharedValue): Promise<boolean> {
  return (await shared.list({ kind, tenant, name })).length > 0;
}

interface OldValues {
  readonly path: string;
  readonly values: readonly SharedValue[];
}

function oldValues({ folder, clean }: OldFolder): readonly OldValues[] {
  return oldFiles.flatMap(({ name, read }) => {
    const path = join(folder, name);
    return existsSync(path) ? [{ path, values: read(readFileSync(path), { path, clean }) }] : [];
  });
}

const KeyFile = z.strictObject({ version: z.literal(1), keys: z.array(KeyRecord) });
const SignedOutFile = z.strictObject({ version: z.literal(1), people: z.record(z.string(), SignedOut) });
const PersonName = z.union([
  z.tuple([z.string(), z.string()]),
  z.tuple([z.string(), z.string(), z.string()]),
]);
/** A version before pins were approved wrote texts here: such a tool counts as not seen. */
const PinFile = z.record(z.string(), z.union([Pinned, z.string()]));

const oldFiles: readonly OldFile[] = [
  {
    name: 'keys.json',
    read(bytes, { path }) {
      const why = 'is not a list of keys any more; restore it, or remove it and make new keys';
      const { keys } = parsed(KeyFile, bytes, `${path} ${why}.`);
      const tenants = Map.groupBy(keys, ({ tenant }) => tenant);
      return [...tenants].map(([tenant, all]) => first(keysKind.kind, { tenant, name: '' }, all));
    },
  },
  {
    name: 'signed-out.json',
    read(bytes, { path }) {
      const why = 'no longer says who signed out: remove it together with badges.key beside it';
      const { people } = parsed(SignedOutFile, bytes, `${path} ${why}; then everybody signs in again.`);
      return Object.entries(people).map(([person, out]) => {
        const [tenant, who, key] = PersonName.parse(jsonIn(person));
        return first(signedOutKind.kind, { tenant, name: personNamed(who, key) }, out);
      });
    },
  },
  {
    name: 'badges.key',
    read(bytes) {
      const secret = bytes.toString('base64');
      return isWhole(secret) ? [first(badgeSecret.kind, { tenant: '', name: '' }, secret)] : [];
    },
  },
  {
    name: 'mcp-pins.json',
    read(bytes, { path, clean }) {
      const why = 'are damaged; restore the file, or delete it and approve the tools anew';
      const pins = parsed(PinFile, bytes, `The MCP pins in ${path} ${why}.`);
      return Object.entries(pins).flatMap(([name, pin]) =>
        typeof pin === 'string'
          ? []
          : [first(pinsKind.kind, { tenant: '', name }, withoutSecrets(pin, clean))],
      );
    },
  },
  {
    name: 'preferences.json',
    read(bytes) {
      // The configuration says the same again.
      const { data = {} } = z.record(z.string(), Preferences).safeParse(jsonIn(bytes.toString()));
      return Object.entries(data).map(([name, preferences]) =>
        first(appPreferences.kind, { tenant: '', name }, preferences),
      );
    },
  },
];

function parsed<T>(schema: z.ZodType<T>, bytes: Buffer, message: string): T {
  const found = schema.safeParse(jsonIn(bytes.toString()));
  if (found.success) return found.data;
  throw new RunError('malformed', message);
}

/** As it is before anybody has changed it in the store. */
function first(
  kind: string,
  { tenant, name }: { readonly tenant: string; readonly name: string },
  value: unknown,
): SharedValue {
  return { kind, tenant, name, value: JSON.stringify(value), version: 0 };
}
