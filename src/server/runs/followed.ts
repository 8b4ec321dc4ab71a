import type { Entry } from '../../run/events.ts';
import { runStatus, type RunTree } from '../../run/tree.ts';
import { isBlobRef } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { decodeAll } from '../../run/entries.ts';

/** A run as it stands after some entries, with those that somebody who follows it has not had. */
export interface Followed {
  readonly tree: RunTree;
  readonly entries: readonly Entry[];
}

/**
 * A run from an entry on, as it is shown, until it has ended or waits for a person: as far as an answer of protocols goes
 * that have no more than one answer to a request. The first is the run as it stands there.
 */
export async function* followed(
  { home, trees }: Pick<ServerContext, 'home' | 'trees'>,
  { run, app, after }: Pick<RunRow, 'run' | 'app'> & { readonly after: number },
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  const { tree, take } = trees.growing(home.preferences(app));
  let had = after;
  for await (const { frames } of home.journal.follow(run, 0, signal)) {
    const entries = decodeAll(frames).flatMap((entry) => {
      const shown = take(entry);
      return shown && shown.seq > had ? [shown] : [];
    });
    if (tree.seq < after) continue;
    had = tree.seq;
    yield { tree, entries };
    if (isAnswered(tree)) return;
  }
}

/** Whether nothing more comes before a person has done something, or ever. */
function isAnswered(tree: RunTree): boolean {
  return tree.ended !== undefined || runStatus(tree) === 'waiting';
}

/** What a run has answered, whole. */
export async function answerIn(
  { home }: Pick<ServerContext, 'home'>,
  tenant: string,
  { ended }: RunTree,
): Promise<string> {
  const answer = ended?.answer ?? '';
  if (!isBlobRef(answer)) return answer;
  const kept = await home.blobs.get(tenant, answer.blob);
  return kept === undefined ? (answer.preview ?? '') : String(JSON.parse(kept));
}
