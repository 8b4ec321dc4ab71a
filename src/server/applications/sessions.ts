import { term } from '../../run/facts.ts';
import type { RunTree } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import { runsOf } from '../../front/erase.ts';
import { inPlaces } from '../../engine/conversation/places.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import type { App } from '../folder/home.ts';
import { conversationOf } from '../doors/conversation.ts';
import { answerIn, followed } from '../runs/followed.ts';
import { isOwnSession, ownerLabel } from '../runs/own-session.ts';
import { missing } from '../runs/quotas.ts';
import { bodyOf, type ApplicationBody } from './application-form.ts';

export interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly app: string;
}

/** What an app says to those who use it, as it is published, where it is an application. */
export async function inUse({ name, definition }: App): Promise<ApplicationBody | undefined> {
  const used = await definition?.();
  return used && bodyOf(used.body, name);
}

/** The runs of a session, oldest first. One of another person, or of another application, is not there. */
export async function sessionRuns(
  { context, caller, app }: Asking,
  session: string,
): Promise<readonly RunRow[]> {
  const { id: conversation } = await conversationOf({ context, caller }, session);
  const rows = await runsOf(context.home.dispatch, { tenant: caller.tenant, conversation });
  const own = await ownOf({ context, caller, app }, inPlaces(rows.toReversed()));
  if (own.length === 0) throw missing('session', session);
  return own;
}

/** The newest run of a session; undefined where it has none yet. */
export async function newestRun(
  { context, caller, app }: Asking,
  conversation: string,
): Promise<RunRow | undefined> {
  const [row] = await context.home.dispatch.list({ tenant: caller.tenant, conversation, limit: 1 });
  if (row && (await ownOf({ context, caller, app }, [row])).length === 0)
    throw missing('session', conversation);
  return row;
}

/** A conversation that is the session of somebody else is not there. */
export async function expectOwnSession(asking: Omit<Asking, 'app'>, newest: RunRow): Promise<void> {
  if (!(await isOwnSession(asking, newest))) throw missing('conversation', newest.conversation);
}

/** Anybody may give a run the label of another, so it is theirs only if they began it, too. */
async function ownOf({ context, caller, app }: Asking, rows: readonly RunRow[]): Promise<readonly RunRow[]> {
  const own: RunRow[] = [];
  for (const row of rows) {
    if (row.app !== app || row.facts.labels[ownerLabel] !== caller.who) continue;
    const { started } = await context.trees.of(row);
    if (started?.who === undefined || started.who === caller.who) own.push(row);
  }
  return own;
}

const mostSessions = 200;

/** The newest run of each session that somebody has with an application, the newest first. */
export async function sessionsOf(asking: Asking): Promise<readonly RunRow[]> {
  const { context, caller, app } = asking;
  const { tenant, who } = caller;
  const newest = (term: string): Promise<readonly RunRow[]> =>
    context.home.dispatch.list({ tenant, terms: [term], limit: mostSessions });
  // However many others begin under the same label, these are all theirs. Runs of before are found by the label alone.
  const own = (await newest(term.own(ownerLabel, who))).filter((row) => row.app === app);
  const known = new Set(own.map(({ run }) => run));
  const labelled = (await newest(term.label(ownerLabel, who))).filter(({ run }) => !known.has(run));
  const rows = [...own, ...(await ownOf(asking, labelled))];
  const seen = new Set<string>();
  return rows.toSorted(byNewest).filter((row) => {
    if (seen.has(row.conversation)) return false;
    seen.add(row.conversation);
    return true;
  });
}

function byNewest(one: RunRow, other: RunRow): number {
  return other.createdAt - one.createdAt;
}

/** A run where it has ended, or asks a person: whoever wants one answer waits for that. */
export async function rested(
  { context }: Pick<Asking, 'context'>,
  row: RunRow,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<{ readonly tree: RunTree; readonly answer: string }> {
  const wanted = { run: row.run, app: row.app, after };
  let last: RunTree | undefined;
  for await (const { tree } of followed(context, wanted, signal)) last = tree;
  signal.throwIfAborted();
  const tree = last ?? (await context.trees.of(row));
  return { tree, answer: await answerIn(context, row.tenant, tree) };
}
