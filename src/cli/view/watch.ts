import { isForAnother } from '../../run/deciders.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { waitingForPerson } from '../../run/notices.ts';
import {
  runStatus,
  undecidedApprovals,
  type Approval,
  type RunTree,
  type Step,
  present,
} from '../../run/tree.ts';
import { showing } from '../../server/compose/showing.ts';
import { folderOwner } from '../../run/owner.ts';
import { followRun } from '../../client/follow.ts';
import type { Preferences } from '../../run/preferences.ts';
import type { Showing } from '../../wire/native/query.ts';
import { expectReadable, summaryOf } from '../place/find.ts';
import type { Reached, TerminalHome } from '../place/terminal-home.ts';
import { shownTree, type ShownTree } from '../../server/runs/shown-tree.ts';
import { Bell } from './bell.ts';
import type { RunSummary } from '../../wire/native/runs.ts';
import type { View } from './view.ts';

/**
 * How watching ended. `waiting` for somebody who is not here, `left` by who worked on it, `interrupted` by the viewer;
 * `damaged` where the rest cannot be read.
 */
export interface Watched {
  readonly is: 'ended' | 'waiting' | 'left' | 'interrupted' | 'damaged';
  readonly tree: RunTree;
  readonly why?: string;
}

export interface WatchOptions {
  readonly view: View;
  /** What to show; the rest is as the app prefers. */
  readonly asked?: Showing;
  /** Approve whatever is asked. */
  readonly yes?: boolean;
}

/** Notices with which the engine itself pauses a run. */
const setAside: ReadonlySet<string> = new Set(['FLOW_DIVERGED', 'RESULT_MISSING', 'AGENT_GONE']);

/** Follow a run until it ends, or until nothing more will happen without somebody who is not here. */
export async function watch(
  home: TerminalHome,
  run: string,
  { view, asked = {}, yes = false }: WatchOptions,
): Promise<Watched> {
  const { seq: head, shown: preferences } = await summaryOf(home.server, run, asked);
  const over = new AbortController();
  const signal = AbortSignal.any([view.signal, over.signal]);
  const shown = treeFor(preferences);
  const { tree } = shown;
  const answered = new Set<string>();
  const bell = new Bell();
  const unlisten = home.listen(() => bell.ring());
  const following = follow(home, run, {
    view,
    signal,
    shown,
    async after() {
      // What was asked early in a long journal may have been answered later in it.
      if (yes && tree.seq >= head) await approveAll(home, run, { tree, answered });
      bell.ring();
    },
  });
  try {
    const watched = await Promise.race([
      following,
      settle({ home, run, view, asked, yes, head, signal, tree, bell }),
    ]);
    view.close(watched);
    return watched;
  } finally {
    over.abort();
    unlisten();
    await following.catch(() => {});
  }
}

/** Follow a run until it ends or the viewer leaves, whoever works on it or does not. */
export async function look(
  home: Reached,
  { run, shown: preferences }: Pick<RunSummary, 'run' | 'shown'>,
  view: View,
): Promise<Watched> {
  const shown = treeFor(preferences);
  const watched = await follow(home, run, { view, signal: view.signal, shown });
  view.close(watched);
  return watched;
}

/** A run, still empty, as it is shown to those who prefer this. */
export function treeFor(preferences: Preferences): ShownTree {
  return shownTree(showing(preferences));
}

interface Following {
  readonly view: View;
  readonly signal: AbortSignal;
  readonly shown: ShownTree;
  readonly after?: () => Promise<void>;
}

async function follow(
  home: Reached,
  run: string,
  { view, signal, shown: { tree, take }, after }: Following,
): Promise<Watched> {
  const { server } = home;
  try {
    for await (const news of followRun(server, { run, showing: 'everything', signal })) {
      if (news.is === 'away') {
        await home.away();
        await expectReadable(server, run, tree.seq);
      }
      if (news.is !== 'entries') continue;
      for (const entry of news.entries) {
        const visible = take(entry);
        if (visible) view.show(visible, tree);
      }
      await after?.();
    }
    if (!tree.ended && !signal.aborted) await expectReadable(server, run, tree.seq);
  } catch (thrown) {
    const { code, message } = failureOf(thrown);
    if (code !== 'damaged') throw thrown;
    return { is: 'damaged', tree, why: message };
  }
  return { is: tree.ended ? 'ended' : 'interrupted', tree };
}

async function approveAll(
  home: TerminalHome,
  run: string,
  { tree, answered }: { readonly tree: RunTree; readonly answered: Set<string> },
): Promise<void> {
  for (const asked of undecidedApprovals(tree)) {
    const { approval, fingerprint } = asked;
    if (answered.has(approval) || !canApprove(asked)) continue;
    answered.add(approval);
    const decision = { type: 'decide', decision: 'approve', by: folderOwner, approval, fingerprint } as const;
    await home.send(run, decision).catch((thrown: unknown) => {
      // The run ended while we were about to answer.
      if (!(thrown instanceof RunError) || thrown.failure.code !== 'rejected') throw thrown;
    });
  }
}

/** To approve without looking is no answer to a question that wants to be filled in. */
function canApprove({ allowed, schema }: Approval): boolean {
  return schema === undefined && allowed.includes('approve');
}

interface Settling extends Required<WatchOptions> {
  readonly home: TerminalHome;
  readonly run: string;
  readonly tree: RunTree;
  readonly head: number;
  readonly signal: AbortSignal;
  /** Rings when something has come. */
  readonly bell: Bell;
}

/** Resolves when the run waits for somebody who is not here, or nobody works on it. It looks when something has come. */
async function settle(watching: Settling): Promise<Watched> {
  const { home, run, tree, signal, head, bell } = watching;
  while (!signal.aborted) {
    const more = bell.next();
    if (tree.seq >= head && (await bell.isQuiet(signal))) {
      if (isStuck(watching)) {
        // What is put away while it is not parked would be handed back, and taken up again for nothing.
        const isReleased = await Promise.race([home.released(run).then(() => true), more.then(() => false)]);
        if (isReleased) return { is: 'waiting', tree };
      } else {
        const standing = await home.standing(run);
        if (standing.is === 'left') return { is: 'left', tree, ...present({ why: standing.why }) };
      }
    }
    await more;
  }
  return new Promise(() => {});
}

function isStuck({ tree, view, yes }: Settling): boolean {
  const status = runStatus(tree);
  // A pause by a person is theirs to end, from wherever they are. One by the engine needs other code.
  if (status === 'paused') return setAside.has(tree.notices.at(-1)?.code ?? '');
  if (status !== 'waiting') return !view.isWatched && isBehind(tree);
  const mine = undecidedApprovals(tree).filter((asked) => !isForAnother(tree.started, asked, folderOwner));
  return !mine.some((asked) => (yes ? canApprove(asked) : view.expects(asked)));
}

/** Nothing of it goes on until a person has decided about another run. */
function isBehind({ open, steps }: RunTree): boolean {
  const begun = [...open].flatMap((id) => steps.get(id) ?? []);
  const leaves = begun.filter(({ kind }) => kind === 'turn' || kind === 'call');
  const waits = ({ started, notices }: Step): boolean =>
    !started && notices.at(-1)?.code === waitingForPerson;
  return leaves.length > 0 && leaves.every(waits);
}
