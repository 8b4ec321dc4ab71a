import type { Turn } from '../gateway.ts';

/** The key as a header may carry it, the same for every attempt. */
export function idempotencyHeader({ idempotencyKey }: Turn): { 'idempotency-key': string } {
  return { 'idempotency-key': idempotencyKey.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent) };
}
