// The same operations, one after the other in the order in which they were committed, over plain tables.
import { isDeepStrictEqual } from 'node:util';
import { failureOf } from '../../src/run/failure.ts';
import { memoryTables } from '../../src/stores/memory/tables.ts';
import { sharedName } from '../../src/stores/memory/shared.ts';
import { blobName } from '../../src/stores/blob-name.ts';
import { perform } from '../../src/stores/rules/rules.ts';
import { dueAt, type Tables } from '../../src/stores/rules/tables.ts';
import type { Claim } from '../../src/stores/store.ts';
import type { Operation } from '../../src/stores/batch.ts';
import { commands, definition, lines, runs, shared, tenant, texts } from './operations.ts';
import type { StoredRows } from './rows.ts';
import type { Applied } from './server.ts';

/** One operation, and what it must have given if it took effect. */
export interface Asked {
  readonly operation: Operation;
  expected?: { readonly result: unknown } | { readonly code: string };
}

export class Model {
  readonly #memory = memoryTables();
  readonly #tables: Tables;
  /** Those that a claim could take: it may pass over what others have at that moment. */
  #claimed = new Set<string>();
  /** What is not there cannot be locked, nor whose a key is: it may have changed between the deciding and the commit. */
  #absent = new Set<string>();
  #keys = new Map<string, string | undefined>();

  constructor() {
    this.#tables = {
      ...this.#memory,
      run: (run) => (this.#absent.has(run) ? undefined : this.#memory.run(run)),
      places: (run) => (this.#absent.has(run) ? [] : this.#memory.places(run)),
      removeRun: (run) => {
        for (const [key, owner] of this.#keys) if (owner === run) this.#keys.delete(key);
        if (!this.#absent.has(run)) this.#memory.removeRun(run);
      },
      runWithKey: (of, key) => (this.#keys.has(key) ? this.#keys.get(key) : this.#memory.runWithKey(of, key)),
      addRun: (row, key) => {
        this.#absent.delete(row.run);
        if (key !== undefined) this.#keys.delete(key);
        this.#memory.addRun(row, key);
      },
      claimable: ({ flows, now, max }) =>
        [...this.#claimed]
          .flatMap((run) => this.#memory.run(run) ?? [])
          .filter((row) => (dueAt(row) ?? Infinity) <= now && flows.includes(row.flow))
          .slice(0, max),
    };
  }

  /** What was asked took effect together. */
  apply(asked: readonly Asked[], { session, now, changes }: Applied): void {
    this.#absent = new Set(session.absent);
    this.#keys = new Map(session.keys);
    this.#claimed = new Set(
      changes.flatMap((change) => {
        if (change.type !== 'run.added' && change.type !== 'run.changed') return [];
        return change.row.epoch > (this.#memory.run(change.run)?.epoch ?? 0) ? change.run : [];
      }),
    );
    for (const one of asked) {
      const { name, argument } = one.operation;
      try {
        one.expected = { result: perform({ tables: this.#tables, now, hints: [] }, name, argument) };
      } catch (thrown) {
        one.expected = { code: failureOf(thrown).code };
      }
    }
  }

  /** Where the rows are not what they would be, had everything happened one after the other. */
  differences(rows: StoredRows): readonly string[] {
    return [
      ...runs.filter((run) => !isDeepStrictEqual(this.#ofRun(run), storedOf(rows, run))),
      ...lines.filter(
        (line) => !isDeepStrictEqual(this.#memory.firstInLine(tenant, line), firstOf(rows, line)),
      ),
      ...[definition.name].filter(
        () => !isDeepStrictEqual(this.#memory.definitions(definition), rows.definitions),
      ),
      ...texts.filter(
        (text) =>
          (this.#memory.blob(tenant, blobName(text)) === undefined) ===
          rows.blobs.has(JSON.stringify([tenant, blobName(text)])),
      ),
      ...shared
        .filter((key) => !isDeepStrictEqual(this.#memory.sharedValue(key), rows.shared.get(sharedName(key))))
        .map(({ name }) => name),
    ].map((what) => `${what} is not as if everything had happened one after the other`);
  }

  #ofRun(run: string): unknown {
    const row = this.#memory.run(run);
    if (!row) return undefined;
    return {
      row,
      text: this.#memory.chunksAfter(run, 0).map(({ frames }) => frames),
      commands: commands.map((id) => this.#memory.command(run, id)),
      places: byName(this.#memory.places(run)),
    };
  }
}

/** Whether somebody was told what took effect. */
export function isAsExpected({ operation, expected }: Asked, told: PromiseSettledResult<unknown>): boolean {
  if (told.status === 'rejected') {
    const { code } = failureOf(told.reason);
    // One whose answer was lost may find its run erased when it looks again.
    if (code === 'unavailable' || (code === 'unknown' && operation.name === 'append')) return true;
    return expected !== undefined && 'code' in expected && expected.code === code;
  }
  if (!expected || !('result' in expected)) return false;
  return isDeepStrictEqual(inOrder(told.value), inOrder(expected.result));
}

function inOrder(result: unknown): unknown {
  if (!Array.isArray(result)) return result;
  return (result as Claim[]).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function storedOf(rows: StoredRows, run: string): unknown {
  const stored = rows.runs.get(run);
  return (
    stored && {
      row: rows.row(run),
      text: stored.chunks.map(({ frames }) => frames),
      commands: commands.map((id) => stored.commands.get(id)),
      places: byName(rows.places.filter((place) => place.run === run)),
    }
  );
}

function firstOf({ places }: StoredRows, line: string): unknown {
  return places.find((place) => place.tenant === tenant && place.name === line);
}

function byName<T extends { readonly name: string }>(places: readonly T[]): readonly T[] {
  return places.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
