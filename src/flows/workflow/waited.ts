import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { titleOf, valueOf, type AtWork, type NodeOf } from './sight.ts';

/** A wait for a time, or for so many seconds from when its step was opened. */
export async function waited(at: AtWork<NodeOf<'wait'>>): Promise<Json> {
  const { until } = await at.scope.wait({ until: timeOf(at) });
  return { until: new Date(until).toISOString() };
}

/** When it is over. */
export function timeOf(at: AtWork<NodeOf<'wait'>>): number {
  const { node, scope } = at;
  if (node.until !== undefined) {
    const value = valueOf(at, 'until', node.until);
    const time =
      typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value * 1_000 : NaN;
    if (isTime(time)) return time;
    throw noTime(at, 'until', `${JSON.stringify(value)} is no time: give a text like 2031-05-01T08:00:00Z`);
  }
  const seconds = typeof node.for === 'string' ? valueOf(at, 'for', node.for) : node.for;
  const time = typeof seconds === 'number' ? scope.openedAt + seconds * 1_000 : NaN;
  if (isTime(time)) return time;
  throw noTime(at, 'for', `${JSON.stringify(seconds)} is no number of seconds`);
}

const lastTime = 8_640_000_000_000_000;

function isTime(time: number): boolean {
  return Math.abs(time) <= lastTime;
}

function noTime({ node }: AtWork, field: string, why: string): RunError {
  return new RunError('malformed', `«${field}» of «${titleOf(node)}»: ${why.slice(0, 200).toWellFormed()}.`);
}
