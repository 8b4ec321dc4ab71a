import { cleanAll } from './clean-value.ts';
import { merged, without, type Guard, type Kind } from './guard.ts';

/** A value without what must not pass, and what that was. */
export interface GuardedValue<T> {
  readonly value: T;
  readonly kinds: readonly Kind[];
}

/** Look at a value: its texts, the names of its fields, and its numbers, which may say the same as a text. */
export function guardValue<T>(guard: Guard, given: T): GuardedValue<T> {
  const kinds = new Set<Kind>();
  const attentive = noting(guard, kinds);
  const value = cleanAll(attentive, withGuardedNumbers(attentive, given) as T);
  return { value, kinds: value === given ? [] : [...kinds] };
}

/** The same guard, which notes what it finds. */
export function noting(guard: Guard, kinds: Set<Kind>): Guard {
  return {
    find(text, before) {
      const found = guard.find(text, before);
      for (const { of } of found.stretches) if (of) kinds.add(of);
      return found;
    },
  };
}

function withGuardedNumbers(guard: Guard, value: unknown): unknown {
  if (typeof value === 'number') {
    const text = String(value);
    const { stretches } = guard.find(text);
    return stretches.length === 0 ? value : without(merged(stretches), text);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withGuardedNumbers(guard, item));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const fields = Object.entries(value).map(
    ([name, field]: [string, unknown]) => [name, withGuardedNumbers(guard, field)] as const,
  );
  const isSame = fields.every(([name, field]) => field === Reflect.get(value, name));
  return isSame ? value : Object.fromEntries(fields);
}
