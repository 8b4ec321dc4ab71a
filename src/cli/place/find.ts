import { decodeAll } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { onlyQuestion } from '../../run/only-question.ts';
import { readQuestionId } from '../../run/question-id.ts';
import { undecidedApprovals, type Approval, type RunTree } from '../../run/tree.ts';
import { localTenant, type FolderReader, type RunRow } from '../../server/folder/home.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import type { RunQuery } from '../../server/runs/run-filter.ts';
import { shownTree, type ShownTree } from '../../server/runs/shown-tree.ts';

const page = 200;
const named = 5;

/** The run that is meant: its id, or the beginning of it, with or without `run_`. */
export async function findRun(home: FolderReader, given: string, tenant = localTenant): Promise<RunRow> {
  const exact = await home.dispatch.get(given);
  if (exact?.tenant === tenant) return exact;
  const found: RunRow[] = [];
  for await (const row of allRuns(home, { tenant })) {
    if (row.run.startsWith(given) || row.run.startsWith(`run_${given}`)) found.push(row);
  }
  const [only, ...others] = found;
  if (!only) throw await noSuchRun(home, given, tenant);
  if (others.length === 0) return only;
  const some = found.slice(0, named).map(({ run }) => run);
  const more = found.length > named ? ', …' : '';
  throw new RunError('unknown', `«${given}» may be any of ${found.length} runs: ${some.join(', ')}${more}.`);
}

async function noSuchRun(home: FolderReader, given: string, tenant: string): Promise<RunError> {
  const others = (await othersIn(home, tenant)) ?? 'vitrine runs lists those there are.';
  const whose = tenant === localTenant ? 'here' : `of tenant «${tenant}»`;
  return new RunError('unknown', `There is no run «${given}» ${whose}: ${others}`);
}

/** Who else has runs in a folder, and how to read them; nothing where nobody has. */
export async function othersIn(home: FolderReader, tenant = localTenant): Promise<string | undefined> {
  const others = (await home.dispatch.count({ damaged: false })).filter((count) => count.tenant !== tenant);
  if (others.length === 0) return undefined;
  const some = others.slice(0, named).map((other) => `${other.runs} of tenant «${other.tenant}»`);
  const more = others.length > named ? ` and those of ${others.length - named} more` : '';
  return `Others have runs there (${some.join(', ')}${more}): say whose to read, as --tenant ${others[0]?.tenant ?? ''}.`;
}

/** Whose runs, and which of them, in the words of the API. */
interface Wanted extends Omit<RunQuery, 'after' | 'limit'> {
  readonly tenant?: string | undefined;
}

/** Every run of a tenant in the folder, the newest first. */
export async function* allRuns(
  home: FolderReader,
  { tenant = localTenant, ...query }: Wanted = {},
): AsyncGenerator<RunRow> {
  let after: string | undefined;
  for (;;) {
    const rows = await home.runs(tenant, { ...query, limit: page, after });
    yield* rows;
    after = rows.at(-1)?.run;
    if (rows.length < page) return;
  }
}

/**
 * An approval by its id or the beginning of it, also with the fingerprint of what was shown; or the only one of a run.
 * A name with another fingerprint is the name of something else.
 */
export async function findApproval(
  home: FolderReader,
  given: string,
): Promise<{ readonly run: RunRow; readonly approval: Approval }> {
  const { approval: name, fingerprint } = readQuestionId(given);
  const [, run = name, number] = /^(.*)\.(a\d+)$/.exec(name) ?? [];
  const row = await findRun(home, run);
  const tree = await treeOf(home, row.run);
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
  home: FolderReader,
  run: string,
  { tree, take }: ShownTree = shownTree((entry) => entry),
): Promise<RunTree> {
  for (;;) {
    const before = tree.seq;
    for (const { frames } of await goodChunks(home.journal, run, before))
      for (const entry of decodeAll(frames)) take(entry);
    if (tree.seq === before) return tree;
  }
}

export async function entryAt(home: FolderReader, run: string, seq: number): Promise<Entry | undefined> {
  const chunks = await goodChunks(home.journal, run, seq - 1);
  return chunks.flatMap(({ frames }) => decodeAll(frames)).find((entry) => entry.seq === seq);
}
