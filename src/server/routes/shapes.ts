import { strandedBy } from '../../engine/recovery/stranded.ts';
import type { Catalog } from '../../engine/world.ts';
import { RunError } from '../../run/failure.ts';
import { filled } from '../../run/present.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import type { ListedRun } from '../../wire/native/runs.ts';

/** Whose place it took, and who took its own. */
export function placeIn({ replaces, replacedBy }: RunRow): Pick<ListedRun, 'again' | 'replacedBy'> {
  return { again: replaces ?? undefined, replacedBy: replacedBy ?? undefined };
}

export function listedRun(row: RunRow, catalog: Catalog): ListedRun {
  const { run, conversation, app, title, status, approvals, head: seq, bytes, createdAt, updatedAt } = row;
  const listed = { run, conversation, app, title, status, approvals, seq, bytes, createdAt, updatedAt };
  return { ...listed, ...factsIn(row), ...whyStill(row, catalog), ...placeIn(row) };
}

/** What keeps a run from going on that nobody can mend by waiting. */
function whyStill(row: RunRow, catalog: Catalog): Pick<ListedRun, 'damaged' | 'stranded'> {
  return { damaged: row.damaged ?? undefined, stranded: strandedBy(catalog, row) };
}

/**
 * Which runs go on only when somebody takes them up. Whoever works on one renews its lease; where nobody has the folder,
 * nobody works on any.
 */
export function leftIn({
  home,
  now,
}: Pick<ServerContext, 'home' | 'now'>): (row: RunRow) => true | undefined {
  return ({ state, status, leaseUntil }) => {
    if (status === 'waiting' || status === 'paused') return undefined;
    if (state !== 'running' && state !== 'ready') return undefined;
    return !home.isHolder || (state === 'running' && leaseUntil < now()) ? true : undefined;
  };
}

function factsIn({ facts }: RunRow): Partial<ListedRun> {
  const { labels, agents, tools, asked, tokens, startedAt, endedAt } = facts;
  return {
    labels: Object.keys(labels).length > 0 ? { ...labels } : undefined,
    agents: filled([...agents]),
    tools: filled([...tools]),
    asked: asked || undefined,
    tokens,
    duration: startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt,
  };
}

/** A run with more is read and told while it is sent. Bytes. */
export const smallRun = 1 << 20;

/** The caller's own name for a request: the same again is the same request. */
export function idempotencyKeyIn(header: (name: string) => string | undefined): string | undefined {
  const key = header('idempotency-key');
  if (key === undefined || /^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new RunError('malformed', 'An idempotency key has up to 200 visible characters.');
}

/** A page has no more bytes than this, unless its first thing has more. */
export const pageBytes = 1 << 20;

/** As many things, made one after the other, as one answer holds. */
export async function pageWithin<From, To>(
  wanted: readonly From[],
  make: (one: From) => Promise<To>,
): Promise<To[]> {
  const page: To[] = [];
  let size = 0;
  for (const one of wanted) {
    const made = await make(one);
    size += JSON.stringify(made).length;
    if (page.length > 0 && size > pageBytes) break;
    page.push(made);
  }
  return page;
}
