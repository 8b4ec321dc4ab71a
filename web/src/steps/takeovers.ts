import type { Entry, RunStore } from '../../../src/client/client.ts';

/** That another process went on with a run, what it found and what it had to ask again. */
export interface Takeover {
  /** How long nothing was recorded before it. Milliseconds. */
  readonly after: number;
  /** Steps that had ended: their results are used. */
  readonly kept: number;
  /** Steps that were under way, and were tried again. */
  again: number;
  /** The first step that opened after it; it stands before that one. */
  before?: number;
}

interface Scan {
  read: number;
  readonly found: Takeover[];
  closed: number;
  lastAt: number;
}

const scans = new WeakMap<RunStore, Scan>();

/** The takeovers of a run so far. Entries are only ever added, so each is looked at once. */
export function takeoversOf(run: RunStore): readonly Takeover[] {
  const scan = scans.get(run) ?? { read: 0, found: [], closed: 0, lastAt: 0 };
  scans.set(run, scan);
  const entries = run.entries();
  for (; scan.read < entries.length; scan.read += 1) {
    const entry = entries[scan.read];
    if (entry) look(scan, entry);
  }
  return scan.found;
}

function look(scan: Scan, { at, event }: Entry): void {
  const last = scan.found.at(-1);
  if (event.type === 'worker.took' && event.reason === 'recovered')
    scan.found.push({ after: Math.max(0, at - scan.lastAt), kept: scan.closed, again: 0 });
  else if (event.type === 'step.closed') scan.closed += 1;
  else if (event.type === 'step.retried' && last) last.again += 1;
  else if (event.type === 'step.opened' && last && last.before === undefined && event.parent === 0)
    last.before = event.step;
  scan.lastAt = at;
}
