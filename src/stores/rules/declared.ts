import type { DefinitionKey } from '../../run/definition.ts';
import type { Needs, Stand } from './needs.ts';
import type { SharedKey } from '../store.ts';
import type { Tables } from './tables.ts';

type Checks = { readonly [Name in keyof Tables]: (...given: Parameters<Tables[Name]>) => boolean };

/**
 * The same tables, for an operation that declared what it needs. To touch anything else is a fault of its declaration:
 * where rows are loaded first it would be taken for a row that is not there.
 */
export function onlyDeclared(tables: Tables, needs: Needs): Tables {
  const checks = checksOf(tables, needs);
  const names = Object.keys(checks) as (keyof Tables)[];
  const guarded = names.map((name) => {
    const isDeclared = checks[name] as (...given: readonly unknown[]) => boolean;
    const ask = tables[name] as (...given: readonly unknown[]) => unknown;
    return [
      name,
      (...given: readonly unknown[]) => {
        if (!isDeclared(...given))
          throw new RangeError(`${name} of ${JSON.stringify(given)} was not declared: name it in its needs`);
        return ask(...given);
      },
    ];
  });
  return Object.fromEntries(guarded) as Tables;
}

function checksOf(tables: Tables, needs: Needs): Checks {
  const { commands = [], pending = [], chunks = [] } = needs;
  const { hasRun, addDue } = declaredRuns(tables, needs);
  const has = (run: string, id: string): boolean =>
    commands.some((command) => command.run === run && command.id === id);
  return {
    run: hasRun,
    runWithKey: (tenant, key) =>
      (needs.keys ?? []).some((known) => known.tenant === tenant && known.key === key),
    addRun: ({ run }) => hasRun(run),
    changeRun: ({ run }) => hasRun(run),
    removeRun: hasRun,
    claimable: (request) => addDue(request),
    list: () => needs.list !== undefined,
    feed: () => needs.feed !== undefined,
    addTerms: hasRun,
    dropTerms: hasRun,
    unfinished: (tenant) => needs.unfinished === tenant,
    questions: () => needs.questions === true,
    count: () => needs.count !== undefined,
    flows: () => needs.flows === true,
    addChunk: ({ run }) => hasRun(run),
    chunksAfter: (run, after) => chunks.some((from) => from.run === run && from.after === after),
    command: has,
    addCommand: ({ run, id }) => has(run, id),
    useCommand: (run, id) => has(run, id) || pending.includes(run),
    pending: (run) => pending.includes(run),
    hasPending: (run) => pending.includes(run),
    ...placeChecks(tables, needs),
    blob: (tenant, blob) => needs.text?.tenant === tenant && needs.text.blob === blob,
    blobUsers: (tenant, blob) => needs.users?.tenant === tenant && needs.users.blob === blob,
    held: (tenant) => needs.held === tenant,
    ...blobChecks(needs),
    ...definitionChecks(needs),
    ...sharedChecks(needs),
  };
}

function blobChecks({ blobs = [], blobsOf = [] }: Needs): Pick<Checks, 'addBlob' | 'useBlob' | 'dropBlobs'> {
  const has = (tenant: string, name: string): boolean =>
    blobs.some(({ tenant: of, blob }) => of === tenant && blob === name);
  return {
    addBlob: ({ tenant }, name) => has(tenant, name),
    useBlob: ({ tenant }, name) => has(tenant, name),
    dropBlobs: (run) => blobsOf.includes(run),
  };
}

type SharedChecks = Pick<Checks, 'sharedValue' | 'listShared' | 'setShared'>;

function sharedChecks({ shared = [], sharedLike }: Needs): SharedChecks {
  const has = ({ kind, tenant, name }: SharedKey): boolean =>
    shared.some((key) => key.kind === kind && key.tenant === tenant && key.name === name);
  return {
    sharedValue: has,
    setShared: has,
    listShared: () => sharedLike !== undefined,
  };
}

type DefinitionChecks = Pick<
  Checks,
  'definitions' | 'keepDefinition' | 'removeDefinition' | 'listDefinitions'
>;

function definitionChecks({ definitions = [], definitionList }: Needs): DefinitionChecks {
  const has = ({ tenant, kind, name }: DefinitionKey): boolean =>
    definitions.some((key) => key.tenant === tenant && key.kind === kind && key.name === name);
  return {
    definitions: has,
    keepDefinition: has,
    removeDefinition: has,
    listDefinitions: () => definitionList !== undefined,
  };
}

function declaredRuns(tables: Tables, { runs = [], keys = [], leaves = [], due = [] }: Needs) {
  const left = leaves.flatMap((stand) => linesOf(tables, stand));
  const found = new Set(runs);
  return {
    hasRun: (run: string): boolean =>
      found.has(run) ||
      keys.some(({ tenant, key }) => tables.runWithKey(tenant, key) === run) ||
      left.some(({ tenant, name }) => tables.firstInLine(tenant, name)?.run === run),
    addDue: (request: Parameters<Tables['claimable']>[0]): boolean => {
      for (const { run } of tables.claimable(request)) found.add(run);
      return due.length > 0;
    },
  };
}

type PlaceChecks = Pick<
  Checks,
  'place' | 'places' | 'firstInLine' | 'addPlace' | 'tellPlace' | 'removePlace'
>;

function placeChecks(tables: Tables, { stands = [], leaves = [] }: Needs): PlaceChecks {
  const all = [...stands, ...leaves];
  const lines = all.flatMap((stand) => linesOf(tables, stand));
  const isLine = (tenant: string, name: string): boolean =>
    lines.some((line) => line.tenant === tenant && line.name === name);
  return {
    place: (run, name) => all.some((stand) => stand.run === run && (stand.name ?? name) === name),
    places: (run) => all.some((stand) => stand.run === run && stand.name === undefined),
    firstInLine: isLine,
    addPlace: ({ tenant, name }) => isLine(tenant, name),
    tellPlace: ({ tenant, name }) => isLine(tenant, name),
    removePlace: ({ tenant, name }) => isLine(tenant, name),
  };
}

function linesOf(tables: Tables, { run, name }: Stand): { readonly tenant: string; readonly name: string }[] {
  if (name === undefined)
    return tables.places(run).map((place) => ({ tenant: place.tenant, name: place.name }));
  const tenant = tables.run(run)?.tenant;
  return tenant === undefined ? [] : [{ tenant, name }];
}
