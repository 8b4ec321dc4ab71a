import { isEnd, merged, without, type Guard, type GuardAction, type Kind } from './guard.ts';

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
  const stretches = merged(guard.find(text).stretches);
  const end = stretches.findIndex(isEnd);
  const counted = new Map<string, Finding>();
  for (const { of } of end < 0 ? stretches : stretches.slice(0, end + 1)) {
    if (!of) continue;
    const name = JSON.stringify([of.guard, of.category]);
    counted.set(name, { ...of, count: (counted.get(name)?.count ?? 0) + 1 });
  }
  const findings = [...counted.values()];
  const verdict =
    byStrictness.find((action) => findings.some((finding) => finding.action === action)) ?? 'pass';
  return { text: without(stretches, text), findings, verdict };
}
