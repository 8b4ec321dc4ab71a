import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

const Call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** A message as the service keeps it: what the model was sent, the system prompt and tools included. */
export const StoredMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  tool_calls: z.array(Call).optional(),
  tool_call_id: z.string().optional(),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

const Row = z.object({
  id: z.string(),
  title: z.string(),
  messages: z.string().transform((text): StoredMessage[] => z.array(StoredMessage).parse(JSON.parse(text))),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Conversation = z.infer<typeof Row>;

/** The history of every conversation, kept by the service itself. */
export class Conversations {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  create(title = 'New Conversation'): Conversation {
    const now = timestamp();
    const conversation = { id: randomUUID(), title, messages: [], created_at: now, updated_at: now };
    this.#database
      .prepare(
        'INSERT INTO conversations (id, title, messages, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
      )
      .run(conversation.id, title, '[]', now, now);
    return conversation;
  }

  get(id: string): Conversation | undefined {
    const row = this.#database.prepare('SELECT * FROM conversations WHERE id = ?').get(id);
    return row === undefined ? undefined : Row.parse(row);
  }

  /** Newest update first. */
  list(): object[] {
    const rows = this.#database
      .prepare('SELECT * FROM conversations ORDER BY updated_at DESC, rowid DESC')
      .all();
    return rows.map((row) => {
      const { id, title, messages, created_at, updated_at } = Row.parse(row);
      return { id, title, created_at, updated_at, message_count: messages.length };
    });
  }

  save(id: string, messages: readonly StoredMessage[]): void {
    this.#database
      .prepare('UPDATE conversations SET messages = ?, updated_at = ? WHERE id = ?')
      .run(JSON.stringify(messages), timestamp(), id);
  }

  delete(id: string): boolean {
    return this.#database.prepare('DELETE FROM conversations WHERE id = ?').run(id).changes > 0;
  }
}

/** As Python writes it, with microseconds. */
function timestamp(): string {
  return new Date().toISOString().replace(/Z$/, '000+00:00');
}
