import { z } from 'zod';
import { FailureCode } from '../../run/failure-schema.ts';
import type { ListedRun } from '../../run/native-api.ts';
import { RunError } from '../../run/failure.ts';
import { RunEvent } from '../../run/events.ts';
import { present } from '../../run/present.ts';
import type { RunRow } from '../../stores/store.ts';

/** How every failure is told. */
export const Refusal = z.object({
  error: z.object({ code: FailureCode, message: z.string(), retryable: z.boolean().optional() }),
});

export function listedRun(row: RunRow): ListedRun {
  const { run, conversation, app, title, status, approvals, head: seq, bytes, createdAt, updatedAt } = row;
  const listed = { run, conversation, app, title, status, approvals, seq, bytes, createdAt, updatedAt };
  return { ...listed, ...present({ damaged: row.damaged ?? undefined }) };
}

export const EntryShape = z.object({ seq: z.int(), at: z.number(), event: RunEvent });

/** A whole number in a query. */
export function whole(least: number, most: number): z.ZodType<number> {
  const shape = z
    .string()
    .regex(/^\d{1,15}$/, 'give a whole number')
    .transform(Number);
  return shape.pipe(z.int().min(least).max(most));
}

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** A run with more is read and told while it is sent. Bytes. */
export const smallRun = 1 << 20;

export const pageSize = 50;
export const largestPage = 200;

export const idempotencyHeader = {
  'Idempotency-Key': 'Up to 200 visible characters: the same again, with the same body, is the same request.',
};

export const cursorHeader = {
  'Last-Event-ID': 'The last id that was seen; it goes before the one in the address.',
};

/** The caller's own name for a request: the same again is the same request. */
export function idempotencyKeyIn(header: (name: string) => string | undefined): string | undefined {
  const key = header('idempotency-key');
  if (key === undefined || /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new RunError('malformed', 'An idempotency key has up to 200 visible characters.');
}

/** A page has no more bytes than this, unless its first thing has more. */
export const pageBytes = 1 << 20;

/** As many things, made one after the other, as one answer holds. */
export async function pageWithin<From, To>(
  wanted: readonly From[],
  make: (one: From) => Promise<To>,
): Promise<To[]> {
  const page: To[] = [];
  let size = 0;
  for (const one of wanted) {
    const made = await make(one);
    size += JSON.stringify(made).length;
    if (page.length > 0 && size > pageBytes) break;
    page.push(made);
  }
  return page;
}
