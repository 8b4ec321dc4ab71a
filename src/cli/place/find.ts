import { ask, askFor, type ServerAddress } from '../../client/ask.ts';
import { vitrineClient, type RunFilter } from '../../client/client.ts';
import { followRun } from '../../client/follow.ts';
import type { Entry } from '../../run/events.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { onlyQuestion } from '../../run/only-question.ts';
import { readQuestionId } from '../../run/question-id.ts';
import { localTenant } from '../../run/owner.ts';
import { undecidedApprovals, type Approval, type RunTree } from '../../run/tree.ts';
import { shownTree, type ShownTree } from '../../server/runs/shown-tree.ts';
import { listTenants } from '../../wire/native/folder.ts';
import { largestPage, type Showing } from '../../wire/native/query.ts';
import { readEntries, readSummary, type ListedRun, type RunSummary } from '../../wire/native/runs.ts';
import type { Reached } from './terminal-home.ts';

const named = 5;

/** The run that is meant: its id, or the beginning of it, with or without `run_`. */
export async function findRun(
  { server, tenant }: Reached,
  given: string,
  asked?: Showing,
): Promise<RunSummary> {
  const exact = await summaryOf(server, given, asked).catch(unlessUnknown);
  if (exact) return exact;
  const found: ListedRun[] = [];
  for await (const listed of allRuns(server)) {
    if (listed.run.startsWith(given) || listed.run.startsWith(`run_${given}`)) found.push(listed);
  }
  const [only, ...others] = found;
  if (!only) throw await noSuchRun(server, given, tenant);
  if (others.length === 0) return summaryOf(server, only.run, asked);
  const some = found.slice(0, named).map(({ run }) => run);
  const more = found.length > named ? ', …' : '';
  throw new RunError('unknown', `«${given}» may be any of ${found.length} runs: ${some.join(', ')}${more}.`);
}

/** What is said of one run, and what is shown of it to who asks for this. */
export function summaryOf(server: ServerAddress, run: string, asked: Showing = {}): Promise<RunSummary> {
  return askFor(server, readSummary, { of: { run }, query: asked });
}

export function isOver(status: ListedRun['status']): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}

async function noSuchRun(server: ServerAddress, given: string, tenant = localTenant): Promise<RunError> {
  const others = (await othersIn(server, tenant)) ?? 'vitrine runs lists those there are.';
  const whose = tenant === localTenant ? 'here' : `of tenant «${tenant}»`;
  return new RunError('unknown', `There is no run «${given}» ${whose}: ${others}`);
}

/** Who else has runs in a folder, and how to read them; nothing where nobody has, or it is no folder of ours. */
export async function othersIn(server: ServerAddress, tenant = localTenant): Promise<string | undefined> {
  const { tenants } = await askFor(server, listTenants, {}).catch((thrown: unknown) => {
    if (failureOf(thrown).code !== 'refused') throw thrown;
    return { tenants: [] };
  });
  const others = tenants.filter((count) => count.tenant !== tenant);
  if (others.length === 0) return undefined;
  const some = others.slice(0, named).map((other) => `${other.runs} of tenant «${other.tenant}»`);
  const more = others.length > named ? ` and those of ${others.length - named} more` : '';
  return `Others have runs there (${some.join(', ')}${more}): say whose to read, as --tenant ${others[0]?.tenant ?? ''}.`;
}

/** Every run that is wanted, the newest first. */
export async function* allRuns(
  server: ServerAddress,
  wanted: Omit<RunFilter, 'after' | 'limit'> = {},
): AsyncGenerator<ListedRun> {
  const client = vitrineClient(server);
  for (let after: string | undefined; ;) {
    const { runs, next } = await client.runs({ ...wanted, limit: largestPage, after });
    yield* runs;
    if (next === null) return;
    after = next;
  }
}

/**
 * An approval by its id or the beginning of it, also with the fingerprint of what was shown; or the only one of a run.
 * A name with another fingerprint is the name of something else.
 */
export async function findApproval(
  home: Reached,
  given: string,
): Promise<{ readonly run: RunSummary; readonly approval: Approval }> {
  const { approval: name, fingerprint } = readQuestionId(given);
  const [, run = name, number] = /^(.*)\.(a\d+)$/.exec(name) ?? [];
  const row = await findRun(home, run);
  const tree = await treeOf(home.server, row.run);
  if (number === undefined) return { run: row, approval: onlyQuestion(tree, row.run) };
  const approval = tree.approvals.get(`${row.run}.${number}`);
  if (!approval) {
    const ids = undecidedApprovals(tree).map(({ approval: id }) => id);
    const known = ids.length === 0 ? 'it asks nothing' : `it asks ${ids.join(', ')}`;
    throw new RunError('unknown', `There is no approval «${given}» in run ${row.run}: ${known}.`);
  }
  if (fingerprint !== undefined && fingerprint !== approval.fingerprint)
    throw new RunError('rejected', `What was shown is not what ${approval.approval} asks: look at it again.`);
  return { run: row, approval };
}

/** A run as it is now: as it is recorded, or as it is shown; of a damaged one, as far as it is good. */
export async function treeOf(
  server: ServerAddress,
  run: string,
  { tree, take }: ShownTree = shownTree((entry) => entry),
): Promise<RunTree> {
  for await (const entries of goodEntries(server, run)) for (const entry of entries) take(entry);
  return tree;
}

/** What a run has recorded until now, as far as it is good. */
export async function entriesOf(server: ServerAddress, run: string): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for await (const entries of goodEntries(server, run)) all.push(...entries);
  return all;
}

async function* goodEntries(server: ServerAddress, run: string, after = 0): AsyncGenerator<readonly Entry[]> {
  try {
    yield* recorded(server, run, after);
  } catch (thrown) {
    if (failureOf(thrown).code !== 'damaged') throw thrown;
  }
}

/** What a run has recorded until now. Fails with `damaged` where the rest cannot be read. */
export async function* recorded(
  server: ServerAddress,
  run: string,
  after = 0,
): AsyncGenerator<readonly Entry[]> {
  let seq = after;
  let head: number | undefined;
  for await (const news of followRun(server, { run, after, showing: 'everything' })) {
    if (news.is === 'joined') head ??= news.head;
    if (news.is === 'away') await expectReadable(server, run, seq);
    if (news.is === 'entries') {
      yield news.entries;
      seq = news.entries.at(-1)?.seq ?? seq;
    }
    if (seq >= (head ?? Infinity)) return;
  }
  await expectReadable(server, run, seq);
}

/** Fails with `damaged` where nothing that can be read comes after an entry. A stream only ends there. */
export async function expectReadable(server: ServerAddress, run: string, after: number): Promise<void> {
  await ask(server, readEntries, { of: { run }, query: { after, limit: 1 } }).catch((thrown: unknown) => {
    if (failureOf(thrown).code === 'damaged') throw thrown;
  });
}

/** Undefined where it cannot be read any more. */
export async function entryAt(server: ServerAddress, run: string, seq: number): Promise<Entry | undefined> {
  for await (const entries of goodEntries(server, run, seq - 1))
    return entries.find((entry) => entry.seq === seq);
  return undefined;
}

/** What is too large for the journal is kept beside it, as JSON. */
export async function keptText(server: ServerAddress, blob: string): Promise<string | undefined> {
  const bytes = await vitrineClient(server).download(blob).catch(unlessUnknown);
  return bytes && new TextDecoder().decode(bytes);
}

function unlessUnknown(thrown: unknown): undefined {
  if (failureOf(thrown).code !== 'unknown') throw thrown;
}
