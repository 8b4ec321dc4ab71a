import type { DatabaseSync } from 'node:sqlite';
import { change, query } from './rows.ts';

/** How many bytes each tenant has, counted as they come and go: nobody adds up a whole folder to know it. */
export interface HeldRows {
  held(tenant: string): number;
  add(tenant: string, bytes: number): void;
  /** Write what was added: once in a transaction, however many of its operations added to it. */
  write(): void;
  /** A transaction was undone. */
  forget(): void;
}

export function heldRows(database: DatabaseSync): HeldRows {
  const one = query<{ readonly bytes: number; readonly again: number }>(
    database,
    'SELECT bytes, again FROM held WHERE tenant = ?',
  );
  const anew = query<{ readonly bytes: number }>(database, `${everything} HAVING tenant = ?`);
  const set = change(
    database,
    `INSERT INTO held (tenant, bytes, again) VALUES (?1, ?2, ?2) ON CONFLICT (tenant) DO UPDATE SET
      bytes = bytes + excluded.bytes, again = again + excluded.again`,
  );
  const added = new Map<string, number>();
  return {
    held(tenant) {
      const { bytes, again } = one.one(tenant) ?? { bytes: 0, again: 0 };
      return bytes === again ? bytes + (added.get(tenant) ?? 0) : (anew.one(tenant)?.bytes ?? 0);
    },
    add: (tenant, bytes) => void added.set(tenant, (added.get(tenant) ?? 0) + bytes),
    write() {
      for (const [tenant, bytes] of added) set(tenant, bytes);
      added.clear();
    },
    forget: () => added.clear(),
  };
}

const everything = `SELECT tenant, sum(bytes) AS bytes FROM (
  SELECT tenant, bytes FROM run JOIN head ON head.run = number
  UNION ALL SELECT tenant, octet_length(command) FROM run JOIN command ON command.run = run.number
  UNION ALL SELECT tenant, octet_length(text) FROM blob
) GROUP BY tenant`;

/** Count what a folder has that was written before anybody counted. */
export function countHeld(database: DatabaseSync): void {
  database.exec(`INSERT INTO held SELECT tenant, bytes, bytes FROM (${everything})`);
}
