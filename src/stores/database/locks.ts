import type { Needs, Stand } from '../rules/needs.ts';
import { lockName, type Line, type Lock, type Rows, type Wanted } from './port.ts';

/**
 * Everything that must be locked to decide, as far as these rows tell: the lines of a run are known once its row is, who
 * is next in a line once the line is. Given what was loaded under these locks, it tells whether more is needed.
 */
export function locksOf(needs: Needs, rows: Rows, held: readonly Lock[] = []): readonly Lock[] {
  const { runs = [], stands = [], leaves = [], blobs = [], blobsOf = [], shared = [] } = needs;
  const left = leaves.flatMap((stand) => linesOf(needs, rows, stand));
  const lines = [...stands.flatMap((stand) => linesOf(needs, rows, stand)), ...left];
  const used = rows.blobs.filter(({ users }) => users.some((run) => blobsOf.includes(run)));
  return [
    ...[...runs, ...nextInLines(needs, rows, { left, held })].map(runLock),
    ...lines.map(({ tenant, name }) => ({ kind: 'line', name: lockName(tenant, name) }) as const),
    ...[...blobs.map(({ run }) => run), ...blobsOf].map((name) => ({ kind: 'owner', name }) as const),
    ...[...blobs, ...used].map(
      ({ tenant, blob }) => ({ kind: 'blob', name: lockName(tenant, blob) }) as const,
    ),
    ...shared.map(
      ({ kind, tenant, name }) => ({ kind: 'shared', name: lockName(kind, tenant, name) }) as const,
    ),
  ];
}

export function runLock(name: string): Lock {
  return { kind: 'run', name };
}

/** One order for everybody, so that no two wait for each other: runs, lines, owners of blobs, blobs, shared values, each by name. */
export function inOrder(locks: readonly Lock[]): readonly Lock[] {
  const each = new Map(locks.map((lock) => [lockKey(lock), lock]));
  return [...each.values()].sort(compareLocks);
}

export function lockKey({ kind, name }: Lock): string {
  return `${kind} ${name}`;
}

export function compareLocks(one: Lock, other: Lock): number {
  if (one.kind !== other.kind) return kinds.indexOf(one.kind) - kinds.indexOf(other.kind);
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

const kinds: readonly Lock['kind'][] = ['run', 'line', 'owner', 'blob', 'shared'];

/** What to load once these locks are held. */
export function wantedWith(needs: Needs, held: readonly Lock[]): Wanted {
  const {
    stands = [],
    leaves = [],
    keys = [],
    commands = [],
    pending = [],
    chunks = [],
    blobsOf = [],
    blobs = [],
    shared = [],
  } = needs;
  const named = (kind: Lock['kind']): readonly string[] =>
    held.filter((lock) => lock.kind === kind).map(({ name }) => name);
  return {
    keys,
    commands,
    pending,
    chunks,
    blobs,
    blobsOf,
    shared,
    runs: named('run'),
    placesOf: [...stands, ...leaves].map(({ run }) => run),
    lines: named('line').map(lineOf),
  };
}

function lineOf(lock: string): Line {
  const [tenant = '', name = ''] = JSON.parse(lock) as readonly string[];
  return { tenant, name };
}

function linesOf({ creates = [] }: Needs, rows: Rows, { run, name }: Stand): readonly Line[] {
  if (name === undefined) return rows.places.filter((place) => place.run === run);
  const owners = [...rows.runs.map(({ row }) => row), ...creates].filter((owner) => owner.run === run);
  return owners.map(({ tenant }) => ({ tenant, name }));
}

interface Leaving {
  readonly left: readonly Line[];
  readonly held: readonly Lock[];
}

/** Who is first in the lines that are left, when all have left who may: past those that nobody goes on with. */
function nextInLines({ leaves = [] }: Needs, rows: Rows, { left, held }: Leaving): readonly string[] {
  const alive = new Set(rows.runs.flatMap(({ row }) => (row.state === 'ended' ? [] : row.run)));
  const known = new Set(held.map(lockKey));
  const isHeld = (run: string): boolean => known.has(lockKey(runLock(run)));
  return left.flatMap(({ tenant, name }) => {
    const line = rows.places.filter((place) => place.tenant === tenant && place.name === name);
    const mayGo = (run: string): boolean =>
      leaves.some((stand) => stand.run === run && (stand.name ?? name) === name) ||
      (isHeld(run) && !alive.has(run));
    const stays = line.findIndex(({ run }) => !mayGo(run));
    return line.slice(0, stays === 0 ? 0 : stays + 1).map(({ run }) => run);
  });
}
