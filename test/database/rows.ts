// What a simulated database has committed. It knows rows, keys and nothing of what is allowed.
import {
  DatabaseError,
  type Change,
  type DefinitionChange,
  type KeptRun,
  type RunChange,
  type Rows,
  type Wanted,
} from '../../src/stores/database/port.ts';
import type { Definition, DefinitionKey } from '../../src/run/definition.ts';
import { usersAmong } from '../../src/stores/memory/parts.ts';
import { memoryFeed } from '../../src/stores/memory/feed.ts';
import type { BlobKey, Due } from '../../src/stores/rules/needs.ts';
import {
  counted,
  countedFlows,
  countedOpen,
  dueAt,
  pageSize,
  pick,
  pickDefinitions,
  placeOfRun,
  type ListPlace,
  type Numbered,
  type Place,
} from '../../src/stores/rules/tables.ts';
import { pickShared, sharedName } from '../../src/stores/memory/shared.ts';
import type { Chunk, Receipt, RunRow, SharedValue } from '../../src/stores/store.ts';

export interface StoredRun {
  row: RunRow;
  version: number;
  readonly number: number;
  readonly key: string | undefined;
  readonly terms: Set<string>;
  readonly chunks: (Chunk & { readonly at: number; readonly bytes: number })[];
  readonly commands: Map<string, Omit<Receipt, 'fresh'>>;
}

interface StoredBlob extends BlobKey {
  readonly text: string;
  readonly users: Set<string>;
}

export class StoredRows {
  readonly runs = new Map<string, StoredRun>();
  readonly #gone = new Map<string, Numbered>();
  #added = 0;
  readonly blobs = new Map<string, StoredBlob>();
  readonly shared = new Map<string, SharedValue>();
  /** Places are given in the moment of the commit. */
  readonly feed = memoryFeed();
  places: readonly Place[] = [];
  definitions: readonly Definition[] = [];

  /** The row with the head, size and time of its journal. */
  row(run: string): RunRow | undefined {
    const stored = this.runs.get(run);
    return stored && whole(stored);
  }

  /** All of them, or none: whatever is added must be new. */
  apply(changes: readonly Change[]): void {
    const ofRuns = changes.filter(isOfRun);
    for (const change of ofRuns) this.#expectNew(change, ofRuns);
    for (const change of ofRuns) this.#applyOne(change);
    for (const change of changes)
      if (change.type === 'shared.set') this.shared.set(sharedName(change.value), change.value);
      else if (!isOfRun(change)) this.definitions = definitionsAfter(this.definitions, change);
  }

  load(wanted: Wanted, now: number): Rows {
    const { keys = [], commands = [], pending = [], chunks = [], placesOf = [], lines = [] } = wanted;
    const known = keys.flatMap(({ tenant, key }) => {
      const found = [...this.runs].find(([, stored]) => stored.key === key && stored.row.tenant === tenant);
      return found ? [{ tenant, key, run: found[0] }] : [];
    });
    const named = new Set([...(wanted.runs ?? []), ...known.map(({ run }) => run)]);
    const runs = [...named].flatMap((run): KeptRun[] => {
      const stored = this.runs.get(run);
      return stored ? [{ row: whole(stored), version: stored.version }] : [];
    });
    const isThere = (run: string): boolean => runs.some(({ row }) => row.run === run);
    const isWanted = (run: string, { id, used }: Omit<Receipt, 'fresh'>): boolean =>
      (used === null && pending.includes(run)) || commands.some((one) => one.run === run && one.id === id);
    return {
      now,
      runs,
      keys: known,
      commands: runs.flatMap(({ row: { run } }) =>
        [...(this.runs.get(run)?.commands.values() ?? [])]
          .filter((command) => isWanted(run, command))
          .map((command) => ({ ...command, run })),
      ),
      places: this.places.filter(
        ({ run, tenant, name }) =>
          placesOf.includes(run) || lines.some((line) => line.tenant === tenant && line.name === name),
      ),
      chunks: chunks.filter(({ run }) => isThere(run)).flatMap(({ run, after }) => this.#page(run, after)),
      blobs: [...this.blobs.values()]
        .filter((kept) => isWantedBlob(kept, wanted))
        .map(({ tenant, blob, users }) => ({ tenant, blob, users: [...users] })),
      shared: this.#sharedIn(wanted),
      definitions: (wanted.definitions ?? []).flatMap((key) =>
        this.definitions.filter((row) => isOf(row, key)),
      ),
      ...this.#answers(wanted),
    };
  }

  #sharedIn({ shared = [], sharedLike }: Wanted): readonly SharedValue[] {
    if (sharedLike) return pickShared(this.shared.values(), sharedLike);
    return shared.flatMap((key) => this.shared.get(sharedName(key)) ?? []);
  }

  /** The runs that could be claimed, the longest due first. */
  due({ flows }: Due, now: number): readonly string[] {
    return [...this.runs.values()]
      .map(whole)
      .flatMap((row) => ({ row, at: dueAt(row) ?? Infinity }))
      .filter(({ row, at }) => at <= now && flows.includes(row.flow))
      .toSorted((one, other) => one.at - other.at)
      .map(({ row }) => row.run);
  }

  #answers(wanted: Wanted): Partial<Rows> {
    const { text, users, list, feed, unfinished, count, questions, flows, held, definitionList } = wanted;
    const blobOf = (key?: BlobKey) => key && this.blobs.get(JSON.stringify([key.tenant, key.blob]));
    const all = [...this.runs.values()].map(whole);
    const open = all.filter(({ state }) => state !== 'ended');
    const from = list?.after === undefined ? undefined : this.#placeIn(list.tenant, list.after);
    return {
      users: usersAmong(blobOf(users)?.users, (run) => this.runs.get(run)?.row.app),
      text: blobOf(text)?.text,
      list: list && (list.after === undefined || from) ? this.#listed({ ...list, from }) : undefined,
      ...(feed ? { feed: this.feed.read(feed, (run) => this.row(run)) } : {}),
      unfinished: countedOpen(all.filter(({ tenant }) => tenant === unfinished)),
      count: count ? counted(all, count) : [],
      questions: questions ? open.reduce((sum, { approvals }) => sum + approvals, 0) : 0,
      flows: flows ? countedFlows(all) : [],
      held: held === undefined ? 0 : this.#held(held),
      definitionList: definitionList ? pickDefinitions(this.definitions, definitionList) : [],
    };
  }

  #placeIn(tenant: string, run: string): ListPlace | undefined {
    const known = this.runs.get(run) ?? this.#gone.get(run);
    return known?.row.tenant === tenant ? placeOfRun(known) : undefined;
  }

  #listed(filter: Parameters<typeof pick>[1]): readonly RunRow[] {
    const all = [...this.runs.values()].map((stored) => ({ row: whole(stored), number: stored.number }));
    const newestFirst = all.toSorted((one, other) => other.number - one.number);
    return pick(newestFirst, filter, (run) => this.runs.get(run)?.terms ?? new Set());
  }

  #held(tenant: string): number {
    let bytes = 0;
    for (const stored of this.runs.values()) {
      if (stored.row.tenant !== tenant) continue;
      bytes += whole(stored).bytes;
      for (const { command } of stored.commands.values()) bytes += Buffer.byteLength(JSON.stringify(command));
    }
    for (const blob of this.blobs.values()) if (blob.tenant === tenant) bytes += Buffer.byteLength(blob.text);
    return bytes;
  }

  #page(run: string, after: number): readonly Chunk[] {
    const page: Chunk[] = [];
    let size = 0;
    for (const { first, last, frames } of this.runs.get(run)?.chunks ?? []) {
      if (last <= after) continue;
      if (size >= pageSize) break;
      size += frames.length;
      page.push({ run, first, last, frames });
    }
    return page;
  }

  #expectNew(change: RunChange, all: readonly RunChange[]): void {
    const stored = this.runs.get(change.run);
    const isHere =
      stored !== undefined || all.some(({ type, run }) => type === 'run.added' && run === change.run);
    const isGone = all.some(({ type, run }) => type === 'run.removed' && run === change.run);
    const taken = (what: string): never => {
      throw new DatabaseError('undone', `${what} of ${change.run} is there already, or its run is not`);
    };
    const { type } = change;
    if (type === 'run.added') {
      if (stored && !isGone) taken('run');
      if (change.key !== undefined && this.#hasKey(change.row.tenant, change.key, all)) taken('key');
    } else if (type === 'chunk.added') {
      const { first } = change.chunk;
      if (!isHere || (!isGone && stored?.chunks.some((other) => other.first === first))) taken('chunk');
    } else if (type === 'command.added') {
      if (!isHere || (!isGone && stored?.commands.has(change.sent.id))) taken('command');
    } else if (type === 'place.added' && !isHere) taken('place');
  }

  #hasKey(tenant: string, key: string, all: readonly RunChange[]): boolean {
    return [...this.runs.values()].some(
      (stored) =>
        stored.key === key &&
        stored.row.tenant === tenant &&
        !all.some(({ type, run }) => type === 'run.removed' && run === stored.row.run),
    );
  }

  #applyOne(change: RunChange): void {
    const { run } = change;
    const stored = this.runs.get(run);
    switch (change.type) {
      case 'run.removed':
        return this.#remove(run);
      case 'run.added': {
        const { row, version, key } = change;
        this.#added += 1;
        const empty = { terms: new Set<string>(), chunks: [], commands: new Map() };
        this.runs.set(run, { row, version, key, number: this.#added, ...empty });
        this.feed.move(row.tenant, run);
        return;
      }
      case 'run.changed':
        return this.#change(change);
      case 'terms.added':
      case 'terms.dropped':
        return applyToTerms(stored?.terms, change);
      case 'lease.moved':
        if (stored) stored.row = { ...stored.row, leaseUntil: change.until };
        return;
      case 'chunk.added': {
        const { chunk, at } = change;
        const bytes = (stored?.chunks.at(-1)?.bytes ?? 0) + Buffer.byteLength(chunk.frames);
        stored?.chunks.push({ ...chunk, at, bytes });
        return;
      }
      case 'command.added': {
        const { id, command } = change.sent;
        stored?.commands.set(id, { id, command, used: null });
        return;
      }
      case 'command.used': {
        const command = stored?.commands.get(change.id);
        if (command) stored?.commands.set(change.id, { ...command, used: change.seq });
        return;
      }
      case 'place.added':
      case 'place.told':
      case 'place.removed':
        this.places = placesAfter(this.places, change.type, change.place);
        return;
      case 'blob.added':
      case 'blobs.dropped':
        this.#applyToBlobs(change);
        return;
    }
  }

  #remove(run: string): void {
    const stored = this.runs.get(run);
    this.runs.delete(run);
    if (stored) this.#gone.set(run, stored);
    if (stored) this.feed.move(stored.row.tenant, run);
    this.places = this.places.filter((place) => place.run !== run);
  }

  #change({ run, row, version, isNews }: Extract<Change, { type: 'run.changed' }>): void {
    const stored = this.runs.get(run);
    if (stored) Object.assign(stored, { row, version });
    if (isNews) this.feed.move(row.tenant, run);
  }

  #applyToBlobs(change: Extract<Change, { type: 'blob.added' | 'blobs.dropped' }>): void {
    if (change.type === 'blob.added') {
      const { tenant, blob, text, run } = change;
      const name = JSON.stringify([tenant, blob]);
      const known = this.blobs.get(name);
      if (known) known.users.add(run);
      else this.blobs.set(name, { tenant, blob, text, users: new Set([run]) });
    } else {
      for (const { users } of this.blobs.values()) users.delete(change.run);
      for (const { tenant, blob } of change.gone) this.blobs.delete(JSON.stringify([tenant, blob]));
    }
  }
}

export function isOfRun(change: Change): change is RunChange {
  return 'run' in change;
}

function isOf(row: Definition, { tenant, kind, name }: DefinitionKey): boolean {
  return row.tenant === tenant && row.kind === kind && row.name === name;
}

function definitionsAfter(rows: readonly Definition[], change: DefinitionChange): readonly Definition[] {
  if (change.type === 'definition.removed') return rows.filter((row) => !isOf(row, change.key));
  const { row } = change;
  const others = rows.filter((other) => !isOf(other, row) || other.version !== row.version);
  return [...others, row].toSorted((one, other) => one.version - other.version);
}

function isWantedBlob(kept: StoredBlob, { blobs = [], blobsOf = [] }: Wanted): boolean {
  const isNamed = blobs.some(({ tenant, blob }) => tenant === kept.tenant && blob === kept.blob);
  return isNamed || blobsOf.some((run) => kept.users.has(run));
}

function whole({ row, chunks }: StoredRun): RunRow {
  const last = chunks.at(-1);
  const updatedAt = Math.max(row.updatedAt, last?.at ?? 0);
  return { ...row, head: last?.last ?? 0, bytes: last?.bytes ?? 0, updatedAt };
}

function placesAfter(
  places: readonly Place[],
  type: 'place.added' | 'place.told' | 'place.removed',
  place: Place,
): readonly Place[] {
  const isIt = (other: Place): boolean => other.run === place.run && other.name === place.name;
  if (type === 'place.added') return [...places, place];
  if (type === 'place.removed') return places.filter((other) => !isIt(other));
  return places.map((other) => (isIt(other) ? { ...other, told: true } : other));
}

function applyToTerms(
  terms: Set<string> | undefined,
  change: Extract<Change, { type: 'terms.added' | 'terms.dropped' }>,
): void {
  if (change.type === 'terms.dropped') terms?.clear();
  else for (const term of change.terms) terms?.add(term);
}
