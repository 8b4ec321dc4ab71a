import type { z } from 'zod';

/** What could be read of a value, and what could not: the names of fields, or a list with '' for all of it. */
export interface Salvaged<T> {
  readonly value?: T;
  readonly faults: readonly string[];
}

/** Reads what can be read: a field that is wrong is left out and named, so that it does not cost the others. */
export function salvage<T>(schema: z.ZodType<T>, given: unknown): Salvaged<T> {
  const whole = schema.safeParse(given);
  if (whole.success) return { value: whole.data, faults: [] };
  const faults = [...new Set(whole.error.issues.map(({ path }) => String(path[0] ?? '')))];
  if (typeof given !== 'object' || given === null) return { faults };
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !faults.includes(name)));
  const part = schema.safeParse(rest);
  return part.success ? { value: part.data, faults } : { faults };
}

/** «a stage whose index cannot be read» */
export function unreadable(thing: string, faults: readonly string[]): string {
  return faults.includes('')
    ? `${thing} that cannot be read`
    : `${thing} whose ${faults.join(' and ')} cannot be read`;
}
