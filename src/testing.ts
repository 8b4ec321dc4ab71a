import type { Agent } from './catalog/agent.ts';
import type { Flow } from './engine/scope.ts';
import { workplaceIn } from './engine/world.ts';
import { frontOf } from './front/front.ts';
import { Secrets } from './guards/secrets.ts';
import { approval, budget, duplicate, taint } from './policies/standard.ts';
import type { Command } from './run/commands.ts';
import type { Entry } from './run/events.ts';
import { RunError } from './run/failure.ts';
import { flatTree, type FlatTree } from './run/flat-tree.ts';
import { fold, decodeAll } from './run/entries.ts';
import { emptyTree, undecidedApprovals, type Approval } from './run/tree.ts';
import type { Limits } from './run/values.ts';
import { memoryStore } from './stores/memory.ts';
import type { Tool } from './tools/tool.ts';
import { Worker } from './worker/worker.ts';
import { newId, sha256, systemClock } from './loop/machine.ts';

/** A gateway that replays a script: an agent that always says the same. */
export { scriptedGateway } from './gateways/scripted/scripted.ts';
/** What a script may hold. */
export type { Script } from './gateways/scripted/script.ts';
/** A run as JSON, as `playRun` gives it. */
export type { FlatTree } from './run/flat-tree.ts';

/** What to play, and with whom. */
export interface Play {
  readonly flow: Flow;
  readonly text: string;
  readonly agents?: readonly Agent[];
  readonly tools?: readonly Tool[];
  readonly limits?: Limits;
  readonly labels?: Readonly<Record<string, string>>;
  /** What a person would say to a question; approve, unless said. */
  readonly decide?: (approval: Approval) => Decided;
}

/** A decision as a person makes it. */
export type Decided = Pick<
  Extract<Command, { type: 'decide' }>,
  'decision' | 'arguments' | 'answer' | 'rationale'
>;

/** What was played: the tree at the end, and everything that happened on the way. */
export interface Played {
  readonly tree: FlatTree;
  readonly entries: readonly Entry[];
  /** Bugs that clients would not have heard of. */
  readonly problems: readonly unknown[];
}

/** Run a flow to its end, in memory, with the real engine and the real policies. */
export async function playRun({
  flow,
  text,
  agents = [],
  tools = [],
  decide,
  ...more
}: Play): Promise<Played> {
  const store = memoryStore({ now: () => Date.now() });
  const problems: unknown[] = [];
  const world = workplaceIn({
    store,
    clock: systemClock,
    catalog: { flows: [flow], agents, tools },
    policies: [budget, duplicate, taint, approval],
    log: { error: ({ cause }) => void problems.push(cause) },
    newId,
    hash: sha256,
    secrets: new Secrets(),
  });
  const worker = new Worker(world, 'test');
  const front = frontOf(world, { worker });
  const over = new AbortController();
  const working = worker.work(over.signal);
  try {
    const { run } = await front.start({ app: flow.name, flow, input: { text }, ...more });
    const tree = emptyTree();
    const entries: Entry[] = [];
    const answered = new Set<string>();
    for await (const { frames } of store.journal.follow(run, 0, over.signal)) {
      for (const entry of decodeAll(frames)) {
        fold(tree, entry);
        entries.push(entry);
      }
      for (const asked of undecidedApprovals(tree)) {
        if (answered.has(asked.approval)) continue;
        answered.add(asked.approval);
        await front.send(run, commandFor(asked, decide));
      }
    }
    return { tree: flatTree(tree, run), entries, problems };
  } finally {
    over.abort();
    await working;
    await store.close();
  }
}

function commandFor(asked: Approval, decide: Play['decide']): Command {
  const decided = decide?.(asked) ?? { decision: 'approve' };
  if (decided.decision === 'defer')
    throw new RunError(
      'malformed',
      `Nobody decides «${asked.title}» later in a test: approve, reject or edit it.`,
    );
  const { approval: id, fingerprint } = asked;
  return { type: 'decide', by: 'test', approval: id, fingerprint, ...decided };
}
