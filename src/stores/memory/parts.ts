import type { Definition, DefinitionKey } from '../../run/definition.ts';
import type { BlobUsers } from '../store.ts';
import { pickDefinitions, type Place, type Tables } from '../rules/tables.ts';

type Lines = Pick<Tables, 'place' | 'places' | 'firstInLine' | 'addPlace' | 'tellPlace' | 'removePlace'>;

export function memoryLines(): Lines {
  let standing: readonly Place[] = [];
  const isSame = (one: Place, other: Place): boolean => one.run === other.run && one.name === other.name;
  return {
    place: (run, name) => standing.find((place) => place.run === run && place.name === name),
    places: (run) => standing.filter((place) => place.run === run),
    firstInLine: (tenant, name) => standing.find((place) => place.tenant === tenant && place.name === name),
    addPlace(place) {
      standing = [...standing, place];
    },
    tellPlace(told) {
      standing = standing.map((place) => (isSame(place, told) ? { ...place, told: true } : place));
    },
    removePlace(left) {
      standing = standing.filter((place) => !isSame(place, left));
    },
  };
}

/** Counts what a tenant has more or less. */
export type Hold = (tenant: string, bytes: number) => void;

interface KeptBlob {
  readonly tenant: string;
  readonly text: string;
  readonly runs: Set<string>;
}

/** What some that refer to a blob are. */
export function usersAmong(
  names: Iterable<string> = [],
  appOf: (run: string) => string | undefined,
): BlobUsers {
  const all = [...names].map((name) => ({ name, app: appOf(name) }));
  return {
    apps: [...new Set(all.flatMap(({ app }) => app ?? []))],
    owners: all.filter(({ app }) => app === undefined).map(({ name }) => name),
  };
}

export function memoryBlobs(
  hold: Hold,
  appOf: (run: string) => string | undefined,
): Pick<Tables, 'blob' | 'blobUsers' | 'addBlob' | 'useBlob' | 'dropBlobs'> {
  const kept = new Map<string, KeptBlob>();
  return {
    blob: (tenant, blob) => kept.get(`${blob} ${tenant}`)?.text,
    blobUsers: (tenant, blob) => usersAmong(kept.get(`${blob} ${tenant}`)?.runs, appOf),
    addBlob({ tenant, run }, blob, text) {
      const known = kept.get(`${blob} ${tenant}`);
      if (known) return void known.runs.add(run);
      kept.set(`${blob} ${tenant}`, { tenant, text, runs: new Set([run]) });
      hold(tenant, Buffer.byteLength(text));
    },
    useBlob({ tenant, run }, blob) {
      return kept.get(`${blob} ${tenant}`)?.runs.add(run) !== undefined;
    },
    dropBlobs(run) {
      for (const [name, { tenant, text, runs }] of kept) {
        if (!runs.delete(run) || runs.size > 0) continue;
        kept.delete(name);
        hold(tenant, -Buffer.byteLength(text));
      }
    },
  };
}

type DefinitionTables = Pick<
  Tables,
  'definitions' | 'keepDefinition' | 'removeDefinition' | 'listDefinitions'
>;

export function memoryDefinitions(): DefinitionTables {
  const kept = new Map<string, readonly Definition[]>();
  const nameOf = ({ tenant, kind, name }: DefinitionKey): string => JSON.stringify([tenant, kind, name]);
  return {
    definitions: (key) => kept.get(nameOf(key)) ?? [],
    keepDefinition(row) {
      const others = (kept.get(nameOf(row)) ?? []).filter(({ version }) => version !== row.version);
      kept.set(
        nameOf(row),
        [...others, row].toSorted((one, other) => one.version - other.version),
      );
    },
    removeDefinition: (key) => void kept.delete(nameOf(key)),
    listDefinitions: (filter) => pickDefinitions([...kept.values()].flat(), filter),
  };
}
