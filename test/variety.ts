import fc from 'fast-check';
import type { Entry } from '../src/run/events.ts';
import { foldAll } from '../src/run/entries.ts';
import { plausibleRun } from './plausible-run.ts';

/** What happens in a run, in words that can be counted: kinds, outcomes, depths, turns of events. */
export function variety(entries: readonly Entry[]): Set<string> {
  const seen = new Set<string>();
  for (const { event } of entries) {
    seen.add(event.type);
    if (event.type === 'text.appended') seen.add(event.channel);
    if (event.type === 'item.attached') seen.add(event.item.kind);
    if (event.type === 'worker.took') seen.add(event.reason);
    if (event.type === 'approval.decided') seen.add(event.decision);
    if (event.type === 'run.ended') seen.add(`run ${event.outcome}`);
  }
  const tree = foldAll(entries);
  for (const { depth, status, superseded, origin, kind } of tree.steps.values()) {
    seen.add(`depth ${depth}`).add(status).add(kind);
    if (superseded.length > 0) seen.add('superseded');
    if (origin !== undefined) seen.add('mirrored');
  }
  for (const { lapsedAt } of tree.approvals.values()) if (lapsedAt !== undefined) seen.add('lapsed');
  if (isInterleaved(entries)) seen.add('parallel');
  if (closesAreLeftOut(entries)) seen.add('closed by their parent');
  return seen;
}

function isInterleaved(entries: readonly Entry[]): boolean {
  const steps = entries.flatMap(({ event }) => (event.type === 'text.appended' ? [event.step] : []));
  return steps.some((step, i) => steps[i + 1] !== step && steps.indexOf(step, i + 2) > 0);
}

function closesAreLeftOut(entries: readonly Entry[]): boolean {
  const opened = entries.filter(({ event }) => event.type === 'step.opened').length;
  return opened > entries.filter(({ event }) => event.type === 'step.closed').length;
}

/** A few runs of fewer entries than this that have between them nearly everything that can happen. */
export function variedRuns(count: number, length: number): readonly (readonly Entry[])[] {
  const all = fc
    .sample(plausibleRun, { numRuns: 400, seed: 3 })
    .filter((entries) => entries.length < length)
    .map((entries) => ({ entries, has: variety(entries) }));
  const seen = new Set<string>();
  return Array.from({ length: count }, () => {
    const news = all.map(({ has }) => [...has].filter((one) => !seen.has(one)).length);
    const best = all[news.indexOf(Math.max(...news))];
    for (const one of best?.has ?? []) seen.add(one);
    return best?.entries ?? [];
  });
}
