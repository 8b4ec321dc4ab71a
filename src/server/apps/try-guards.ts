import { applyGuard } from '../../guards/apply-guard.ts';
import { guardOf, type GuardSide } from '../../guards/guard-of.ts';
import type { GuardSettings } from '../../guards/guard-settings.ts';
import { isEnd, merged, type Stretch } from '../../guards/guard.ts';
import type { GuardFinding, TriedGuards } from '../../wire/native/apps.ts';

/** What guards make of a text that somebody gives to see that. Those that are agents are named, and not asked. */
export function triedGuards(settings: readonly GuardSettings[], side: GuardSide, given: string): TriedGuards {
  const guard = guardOf(settings, side);
  const { text, verdict } = applyGuard(guard, given);
  const all = merged(guard.find(given).stretches);
  const end = all.findIndex(isEnd);
  const stretches = end < 0 ? all : all.slice(0, end + 1);
  const unasked = settings.filter((each) => each.guard === 'judge').map(({ agent }) => agent);
  return { text, verdict, findings: stretches.flatMap(findingOf), unasked };
}

function findingOf({ start, end, of }: Stretch): GuardFinding[] {
  if (!of) return [];
  const { guard, category, action } = of;
  const [, line] = /^rule (\d+)$/.exec(guard === 'rules' ? category : '') ?? [];
  return [{ start, end, guard, category, action, line: line === undefined ? undefined : Number(line) }];
}
