import type { EarlierOutcome } from '../../policies/policy.ts';
import { callHistory } from '../../run/call-history.ts';
import type { EventOf } from '../../run/events.ts';
import { failureOf } from '../../run/failure.ts';
import { filled, present } from '../../run/present.ts';
import type { RunTree } from '../../run/tree.ts';
import type { BlobRef } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepLarge, loadLarge } from '../record/large.ts';
import { loadHistory } from '../record/large-input.ts';
import { loadRun } from '../recovery/load.ts';
import type { Exchange } from '../scope.ts';
import { exchangesIn, plainExchange } from './sent-history.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Store } from '../../stores/store.ts';
import { holdingPlaces } from './places.ts';
import type { Message } from '../../gateways/gateway.ts';

/**
 * The earlier runs of a conversation. Which ones count was recorded when this run began, and their journals are final,
 * so a recovery reads the same.
 */
export class Conversation {
  readonly #execution: Execution;
  #trees: Promise<readonly RunTree[]> | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  async history(): Promise<readonly Exchange[]> {
    const { history } = this.#execution.tree.started ?? {};
    if (history) return this.#sentWith(history);
    const exchanges: Exchange[] = [];
    for (const tree of await this.#earlier()) {
      const { started, ended } = tree;
      if (!started || !ended || ended.answer === undefined) continue;
      // What was said before it is what came with it, where something did.
      if (started.history) exchanges.splice(0, exchanges.length, ...(await this.#sentWith(started.history)));
      exchanges.push({
        run: this.#nameOf(tree),
        text: await this.#textOf(started.guarded ?? started.input.text),
        answer: await this.#textOf(ended.answer),
      });
    }
    return exchanges;
  }

  /** A conversation that was sent along, with what was attached as far as it is still there. */
  async #sentWith(history: NonNullable<EventOf<'run.started'>['history']>): Promise<readonly Exchange[]> {
    const { remembered } = this.#execution;
    const sent = await loadHistory(this.#execution, history);
    const whole: Exchange[] = [];
    for (const { attachments = [], ...exchange } of exchangesIn(sent).map(plainExchange)) {
      const loaded = await Promise.all(attachments.map((one) => remembered.whole(one)));
      whole.push({ ...exchange, ...present({ attachments: filled(loaded) }) });
    }
    return whole;
  }

  /** What a call gave last in an earlier run, not before a time, if nothing was written since. */
  async outcome(signature: string, notBefore: number): Promise<EarlierOutcome | undefined> {
    for (const tree of (await this.#earlier()).toReversed()) {
      const history = callHistory(tree);
      const { lastCompleted: last } = history.past(signature);
      // What was itself remembered is as old as where it came from, which is further back.
      if (last?.status === 'completed' && (last.openedSeq ?? 0) > history.lastWrite) {
        if ((last.closedAt ?? 0) < notBefore) return undefined;
        const result = await loadLarge(this.#execution, last.result);
        return { run: this.#nameOf(tree), result: await keepLarge(this.#execution, result) };
      }
      if (history.lastWrite > 0) return undefined;
    }
    return undefined;
  }

  #earlier(): Promise<readonly RunTree[]> {
    this.#trees ??= this.#execution.insist(() => this.#load());
    return this.#trees;
  }

  async #load(): Promise<readonly RunTree[]> {
    const { tree, world } = this.#execution;
    const trees: RunTree[] = [];
    for (const run of tree.started?.earlier ?? []) {
      const row = await world.store.dispatch.get(run);
      // Erased since: what nobody may read any more is not part of the conversation.
      if (!row) continue;
      const loaded = await loadRun(world.store.journal, row).catch(this.#without(run));
      if (!loaded) continue;
      this.#names.set(loaded.tree, run);
      trees.push(loaded.tree);
    }
    return trees;
  }

  /** The conversation goes on without a run that nobody can read any more, and says so. */
  #without(run: string): (thrown: unknown) => undefined {
    return (thrown) => {
      if (failureOf(thrown).code !== 'damaged') throw thrown;
      const { tree } = this.#execution;
      const message = `Run ${run} of this conversation is damaged: what was said in it is left out.`;
      if (tree.notices.some((notice) => notice.message === message)) return;
      this.#execution.emit({ type: 'notice.posted', step: 0, code: 'EARLIER_DAMAGED', message });
    };
  }

  readonly #names = new WeakMap<RunTree, string>();

  #nameOf(tree: RunTree): string {
    return this.#names.get(tree) ?? '';
  }

  async #textOf(value: string | BlobRef): Promise<string> {
    if (typeof value === 'string') return value;
    const loaded = await loadLarge(this.#execution, value);
    return typeof loaded === 'string' ? loaded : JSON.stringify(loaded);
  }
}

/** How many earlier runs of a conversation a run looks back on. */
const remembered = 50;

type Started = EventOf<'run.started'>;

/** What was asked for: a conversation that is not named begins with it. */
interface Asked {
  readonly conversation?: string;
  /** The run whose place it takes. */
  readonly replaces?: string;
  /** The run it goes on after. */
  readonly follows?: string;
}

/** The runs a new one looks back on: those that have ended and hold their places, or what the one it replaces had. */
export async function pastOf(
  { dispatch, journal }: Pick<Store, 'dispatch' | 'journal'>,
  { conversation: named, replaces, follows }: Asked,
  where: { readonly tenant: string; readonly conversation: string },
): Promise<Pick<Started, 'earlier' | 'replaces'>> {
  if (replaces !== undefined)
    return { replaces, ...present({ earlier: await earlierOf(journal, replaces) }) };
  if (follows !== undefined)
    return { earlier: [...((await earlierOf(journal, follows)) ?? []), follows].slice(-remembered) };
  if (named === undefined) return {};
  const rows = await dispatch.list({ ...where, limit: remembered });
  const ended = holdingPlaces(rows).filter(({ state }) => state === 'ended');
  return present({ earlier: filled(ended.map(({ run }) => run)) });
}

async function earlierOf(journal: Store['journal'], run: string): Promise<Started['earlier']> {
  const [chunk] = await journal.read(run, 0);
  const event = chunk && decodeAll(chunk.frames)[0]?.event;
  return event?.type === 'run.started' ? event.earlier : undefined;
}

/** What is asked in a turn: the last message of the person, or the last of all. */
export function placeOfLast(messages: readonly Message[]): number {
  const place = messages.findLastIndex(({ role }) => role === 'user');
  return place < 0 ? messages.length - 1 : place;
}
