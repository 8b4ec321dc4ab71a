import type { EventOf } from '../run/events.ts';
import { beginningOf, isBlobRef, type BlobRef, type Json } from '../run/values.ts';

/** A value as text; of what is large its beginning, with a mark behind it. */
export function textOf(value: BlobRef | Json | undefined, mark = ''): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return isBlobRef(value) ? `${beginningOf(value)}${mark}` : JSON.stringify(value);
}

/** What happened, and why if somebody said so: `Stopped by Ada: too slow`. */
export function because(what: string, why: string | undefined, end = '.'): string {
  return why === undefined ? `${what}${end}` : `${what}: ${why}`;
}

const controls = { 'run.paused': 'Paused', 'run.resumed': 'Resumed', 'stop.requested': 'Stopped' } as const;

/** What somebody asked of the run as a whole: `Paused by Ada.` */
export function controlText({ type, by, reason }: EventOf<keyof typeof controls>): string {
  return because(`${controls[type]} by ${by}`, reason);
}
