import type { Definition, DefinitionKey } from '../../run/definition.ts';
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

export function memoryBlobs(): Pick<Tables, 'blob' | 'addBlob' | 'useBlob' | 'dropBlobs'> & {
  readonly blobBytes: (tenant: string) => number;
} {
  const kept = new Map<string, { readonly text: string; readonly runs: Set<string> }>();
  return {
    blob: (tenant, blob) => kept.get(`${blob} ${tenant}`)?.text,
    blobBytes: (tenant) =>
      [...kept]
        .filter(([name]) => name.endsWith(` ${tenant}`))
        .reduce((bytes, [, { text }]) => bytes + Buffer.byteLength(text), 0),
    addBlob({ tenant, run }, blob, text) {
      const known = kept.get(`${blob} ${tenant}`);
      if (known) known.runs.add(run);
      else kept.set(`${blob} ${tenant}`, { text, runs: new Set([run]) });
    },
    useBlob({ tenant, run }, blob) {
      return kept.get(`${blob} ${tenant}`)?.runs.add(run) !== undefined;
    },
    dropBlobs(run) {
      for (const [name, { runs }] of kept) if (runs.delete(run) && runs.size === 0) kept.delete(name);
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
