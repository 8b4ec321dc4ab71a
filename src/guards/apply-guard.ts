import { findInParts, partLength } from './find-in-parts.ts';
import { isEnd, merged, without, type Guard, type GuardAction, type Kind, type Stretch } from './guard.ts';

/** How often something was found, and what is done about it. Never what was found. */
export interface Finding extends Kind {
  readonly count: number;
}

export interface Guarded {
  /** As it may pass: a mark stands in place of what was found, and what blocks ends it. */
  readonly text: string;
  readonly findings: readonly Finding[];
  /** The strictest of what the findings ask for. */
  readonly verdict: 'pass' | GuardAction;
}

const byStrictness: readonly GuardAction[] = ['block', 'ask', 'redact'];

/** The same guard once a person agreed to what it only asks about: all else it finds as before. */
export function agreedTo(guard: Guard): Guard {
  return {
    ...guard,
    find(text, before) {
      const found = guard.find(text, before);
      const stretches = found.stretches.filter(({ of }) => of?.action !== 'ask');
      return stretches.length === found.stretches.length ? found : { ...found, stretches };
    },
  };
}

/** Look at a text that is over. */
export function applyGuard(guard: Guard, text: string): Guarded {
  return guardedBy(guard.find(text).stretches, text);
}

/** The same of a text that may be long: between its parts it rests. */
export async function applyToLong(guard: Guard, text: string, rest: () => Promise<void>): Promise<Guarded> {
  if (text.length <= (guard.part ?? partLength)) return applyGuard(guard, text);
  return guardedBy((await findInParts(guard, text, rest)).stretches, text);
}

/** What was found in several texts, each kind once. */
export function inAll(findings: readonly Finding[]): readonly Finding[] {
  const counted = new Map<string, Finding>();
  for (const finding of findings) {
    const name = JSON.stringify([finding.guard, finding.category]);
    counted.set(name, { ...finding, count: (counted.get(name)?.count ?? 0) + finding.count });
  }
  return [...counted.values()];
}

function guardedBy(found: readonly Stretch[], text: string): Guarded {
  const stretches = merged(found);
  const end = stretches.findIndex(isEnd);
  const counting = end < 0 ? stretches : stretches.slice(0, end + 1);
  const findings = inAll(counting.flatMap(({ of }) => (of ? [{ ...of, count: 1 }] : [])));
  const verdict =
    byStrictness.find((action) => findings.some((finding) => finding.action === action)) ?? 'pass';
  return { text: without(stretches, text), findings, verdict };
}
