import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { RunError } from '../../src/index.ts';

const User = z.object({
  id: z.number(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  phone: z.string(),
  city: z.string(),
  role: z.string(),
  created_at: z.string(),
});
export type User = z.infer<typeof User>;

const columns = ['first_name', 'last_name', 'email', 'phone', 'city', 'role'] as const;
export type UserFields = { readonly [Name in (typeof columns)[number]]?: string | undefined };

export interface UserFilter extends UserFields {
  /** First or last name. */
  readonly name?: string | undefined;
}

export interface Change {
  readonly action: 'created' | 'updated' | 'deleted';
  readonly conversation: string;
  readonly was?: User;
  readonly became?: User;
}

/** The users, as statements on the database. Whatever changes one is written down in the same transaction. */
export class Users {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  count(): number {
    return numberIn(this.#database.prepare('SELECT count(*) AS n FROM users').get());
  }

  search(
    filter: UserFilter,
    limit: number,
    offset: number,
  ): { readonly total: number; readonly users: User[] } {
    const { where, values } = conditions(filter);
    const total = numberIn(this.#database.prepare(`SELECT count(*) AS n FROM users ${where}`).get(...values));
    const rows = this.#database
      .prepare(`SELECT * FROM users ${where} ORDER BY last_name, first_name, id LIMIT ? OFFSET ?`)
      .all(...values, limit, offset);
    return { total, users: rows.map((row) => User.parse(row)) };
  }

  get(id: number): User {
    const row = this.#database.prepare('SELECT * FROM users WHERE id = ?').get(id);
    if (row === undefined) throw new RunError('unknown', `There is no user ${id}.`);
    return User.parse(row);
  }

  create(fields: Required<Record<(typeof columns)[number], string>>, conversation: string): User {
    return this.#changing(() => {
      this.#refuseTaken(fields.email);
      const values = columns.map((name) => fields[name]);
      const { lastInsertRowid } = this.#database
        .prepare(`INSERT INTO users (${columns.join(', ')}, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`)
        .run(...values, new Date().toISOString());
      const became = this.get(Number(lastInsertRowid));
      this.#log({ action: 'created', conversation, became });
      return became;
    });
  }

  update(id: number, fields: UserFields, conversation: string): User {
    return this.#changing(() => {
      const was = this.get(id);
      if (fields.email !== undefined && fields.email !== was.email) this.#refuseTaken(fields.email);
      for (const name of columns) {
        const value = fields[name];
        if (value !== undefined)
          this.#database.prepare(`UPDATE users SET ${name} = ? WHERE id = ?`).run(value, id);
      }
      const became = this.get(id);
      this.#log({ action: 'updated', conversation, was, became });
      return became;
    });
  }

  delete(id: number, conversation: string): User {
    return this.#changing(() => {
      const was = this.get(id);
      this.#database.prepare('DELETE FROM users WHERE id = ?').run(id);
      this.#log({ action: 'deleted', conversation, was });
      return was;
    });
  }

  changes(): unknown[] {
    return this.#database.prepare('SELECT * FROM changes ORDER BY id').all();
  }

  #refuseTaken(email: string): void {
    const taken = this.#database.prepare('SELECT id FROM users WHERE email = ?').get(email);
    if (taken !== undefined) throw new RunError('rejected', `The address ${email} belongs to another user.`);
  }

  #log({ action, conversation, was, became }: Change): void {
    const id = (was ?? became)?.id ?? 0;
    this.#database
      .prepare(
        'INSERT INTO changes (at, action, user_id, conversation_id, was, became) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(new Date().toISOString(), action, id, conversation, jsonOrNull(was), jsonOrNull(became));
  }

  #changing<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const done = work();
      this.#database.exec('COMMIT');
      return done;
    } catch (thrown) {
      this.#database.exec('ROLLBACK');
      throw thrown;
    }
  }
}

function conditions(filter: UserFilter): { readonly where: string; readonly values: string[] } {
  const parts: string[] = [];
  const values: string[] = [];
  if (filter.name !== undefined) {
    parts.push('(first_name = ? COLLATE NOCASE OR last_name = ? COLLATE NOCASE)');
    values.push(filter.name, filter.name);
  }
  for (const name of columns) {
    const value = filter[name];
    if (value === undefined) continue;
    parts.push(`${name} = ? COLLATE NOCASE`);
    values.push(value);
  }
  return { where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

function numberIn(row: unknown): number {
  return z.object({ n: z.number() }).parse(row).n;
}

function jsonOrNull(user: User | undefined): string | null {
  return user === undefined ? null : JSON.stringify(user);
}
