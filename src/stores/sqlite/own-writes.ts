import { closeSync, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';

/** A part of a file. Bytes. */
export interface Part {
  readonly at: number;
  readonly length: number;
}

/** Notices that somebody else writes a file which this process alone should write. */
export interface OwnWrites {
  /** What was written up to now, this process has written. */
  note(): void;
  /** Whether somebody else has written there since. */
  isForeign(found: BigIntStats): boolean;
  close(): void;
}

/**
 * A file that is written over in place stays the same file to whoever has it open. It has another time or size then; one
 * that was only touched has the same in the parts that every writer changes.
 */
export function ownWrites(path: string, parts: readonly Part[]): OwnWrites {
  // Open until the end: to close a file of a database takes away the locks that this process has on it.
  const file = openSync(path, 'r');
  const look = (): string =>
    parts
      .map(({ at, length }) => {
        const bytes = Buffer.alloc(length);
        return bytes.subarray(0, readSync(file, bytes, 0, length, at)).toString('latin1');
      })
      .join('|');
  let stamp = stampOf(fstatSync(file, { bigint: true }));
  let print = look();
  let isForeign = false;
  return {
    note() {
      const now = stampOf(fstatSync(file, { bigint: true }));
      if (isForeign || now === stamp) return;
      stamp = now;
      print = look();
    },
    isForeign(found) {
      if (isForeign || stampOf(found) === stamp) return isForeign;
      isForeign = look() !== print;
      if (!isForeign) stamp = stampOf(found);
      return isForeign;
    },
    close: () => closeSync(file),
  };
}

function stampOf({ mtimeNs, size }: BigIntStats): string {
  return `${mtimeNs} ${size}`;
}
