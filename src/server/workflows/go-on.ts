import { doneAnew } from '../../flows/workflow/anew.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import { keptEvents } from '../../front/kept-events.ts';
import { sameAgain } from '../../front/same-again.ts';
import { Graph } from '../../graph/graph.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Forked } from '../../front/fork-run.ts';
import type { Caller } from '../access/honest.ts';
import { type ServerContext } from '../context.ts';
import { withinMeans } from '../routes/start-run.ts';
import { recordedGraph } from './recorded-graph.ts';
import { expectOpen } from '../runs/quotas.ts';
import { decodeAll } from '../../run/entries.ts';

/** A run that goes on from where another has failed. There is one: two would do what follows twice. */
export async function goOnFrom(context: ServerContext, caller: Caller, row: RunRow): Promise<Forked> {
  expectOpen(context);
  const { home } = context;
  const tree = await context.trees.of(row);
  const { body, inner } = await recordedGraph(home, row, tree);
  if (row.status !== 'failed' || !tree.started)
    throw new RunError('rejected', `Run ${row.run} is ${row.status}: only one that failed can go on.`);
  const { type: _, ...started } = tree.started;
  // It stays theirs: what it asks goes to them, and what was agreed to was agreed to by them.
  if (started.who !== caller.who && caller.role !== 'operator') {
    const message = `Run ${row.run} was asked for by ${started.who}: they can go on with it, or an operator.`;
    throw new RunError('refused', message);
  }
  const anew = doneAnew(tree, Graph.parse(body), inner);
  if (anew.reopened.size === 0) {
    const message = `Nothing in run ${row.run} failed that could be done again: start a new run.`;
    throw new RunError('rejected', message);
  }
  const entries = await entriesOf(context, row);
  return withinMeans(context, { tenant: row.tenant, bytes: row.bytes }, () =>
    home.front.fork({
      started: { ...started, forkedFrom: { run: row.run, seq: row.head } },
      kept: (run) => keptEvents(entries, anew, run),
      idempotencyKey: sameAgain('go-on', row.run),
    }),
  );
}

async function entriesOf({ home }: ServerContext, { run, head }: RunRow): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let seq = 0; seq < head;) {
    const before = seq;
    for (const { frames } of await goodChunks(home.store.journal, run, seq))
      for (const entry of decodeAll(frames))
        if (entry.seq > seq) {
          entries.push(entry);
          seq = entry.seq;
        }
    if (seq === before)
      throw new RunError('damaged', `Run ${run} is damaged after entry ${seq}, so it cannot go on.`);
  }
  return entries;
}
