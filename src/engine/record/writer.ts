import type { Secrets } from '../../guards/secrets.ts';
import { encode } from '../../run/codec.ts';
import type { Entry, EventOf, RunEvent } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { fold } from '../../run/fold.ts';
import { runStatus, type RunTree } from '../../run/tree.ts';
import type { Append, Fence, Store } from '../../stores/store.ts';
import type { Clock } from '../time/clock.ts';
import type { Meter } from '../meter.ts';
import { RunTime } from '../time/run-time.ts';
import type { StoreTime } from '../time/store-time.ts';
import { HoldBack } from './hold-back.ts';
import type { Space } from './space.ts';
import { unowned } from '../scope/stray.ts';

/** How long a store may be unavailable before the run is left to be recovered. */
const patience = 10_000;
/** Characters that are written, read and told at once. */
const largestAppend = 1 << 20;
const firstPause = 50;
const longestPause = 2_000;

interface Settings {
  readonly store: Store;
  readonly clock: Clock;
  readonly time: StoreTime;
  readonly fence: Fence;
  readonly tree: RunTree;
  readonly secrets: Secrets;
  /** Aborts when this worker has let go of the run: nothing more may be written. */
  readonly signal: AbortSignal;
  readonly space: Pick<Space, 'take'>;
  readonly meter?: Meter | undefined;
}

/**
 * The only way into a run's journal. `emit` never waits: it numbers, stamps and folds at once, and what has gathered is
 * appended in order, one append in flight. Whoever must not act before the journal knows awaits `barrier`.
 */
export class Writer {
  readonly tree: RunTree;
  readonly fence: Fence;
  /** Resolves when the run is with another worker, or the store stayed unavailable. */
  readonly lost: Promise<RunError>;
  readonly #time: RunTime;
  readonly #settings: Settings;
  readonly #holdBack: HoldBack;
  readonly #tellLost: (why: RunError) => void;
  #head: number;
  #pumping = false;
  #isLost = false;
  #unacknowledged: Entry[] = [];
  #uses: { readonly command: string; readonly seq: number }[] = [];
  #waiters: { readonly seq: number; readonly resolve: () => void }[] = [];

  constructor(settings: Settings) {
    const { promise, resolve } = Promise.withResolvers<RunError>();
    this.tree = settings.tree;
    this.fence = settings.fence;
    this.lost = promise;
    this.#tellLost = resolve;
    this.#settings = settings;
    this.#head = settings.tree.seq;
    this.#time = new RunTime(settings.clock, settings.time, settings.tree.at);
    settings.secrets.vouch(settings.fence.run, settings.tree.seq + 1);
    this.#holdBack = new HoldBack(settings.secrets, settings.tree, (event) => this.#record(event));
  }

  /** The last entry known to be durable. */
  get head(): number {
    return this.#head;
  }

  /** The run's time: it moves on only as this worker works. */
  now(): number {
    return this.#time.now();
  }

  /** `command` is what the event comes of. */
  emit(event: RunEvent, command?: string): void {
    this.#holdBack.pass(event);
    if (command !== undefined) this.#uses.push({ command, seq: this.tree.seq });
  }

  /** Emit what is said in one go: it becomes one entry, or was recorded by an earlier worker. */
  say(event: EventOf<'text.appended'>, isRecorded = false): void {
    if (isRecorded) this.#holdBack.sayAgain(event);
    else this.#holdBack.say(event);
  }

  #record(event: RunEvent): void {
    const entry = { seq: this.tree.seq + 1, ...this.#time.stamp(), event };
    fold(this.tree, entry);
    this.#settings.meter?.recorded(event, this.tree);
    this.#unacknowledged.push(entry);
    if (this.#pumping) return;
    this.#pumping = true;
    // What is emitted in one go goes out in one append.
    unowned(() => queueMicrotask(() => this.#begin()));
  }

  /** Resolves when everything emitted so far is durable, and never if this worker has lost the run. */
  barrier(): Promise<void> {
    const { seq } = this.tree;
    if (this.#head >= seq) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ seq, resolve }));
  }

  #begin(): void {
    this.#pump().catch((cause: unknown) =>
      this.#lose(new RunError('internal', `Run ${this.fence.run} could not be written.`, { cause })),
    );
  }

  async #pump(): Promise<void> {
    const { store, clock, signal, space, meter } = this.#settings;
    let pause = firstPause;
    let failingSince: number | undefined;
    while (this.#unacknowledged.length > 0) {
      if (signal.aborted || this.#isLost) return;
      const append = this.#nextAppend();
      try {
        const begun = clock.worked();
        await store.journal.append(append);
        meter?.committed(clock.worked() - begun);
        space.take(Buffer.byteLength(append.frames));
        this.#acknowledge(append.last);
        failingSince = undefined;
        pause = firstPause;
      } catch (thrown) {
        failingSince ??= clock.worked();
        const before = this.#head;
        await this.#reconcile(thrown);
        if (this.#isLost) return;
        if (this.#head > before) continue;
        if (clock.worked() - failingSince >= patience) return this.#giveUp(thrown);
        await clock.sleep(pause, signal);
        pause = Math.min(pause * 2, longestPause);
      }
    }
    this.#pumping = false;
  }

  #nextAppend(): Append {
    const { frames, last } = this.#nextFrames();
    const isEnd = this.tree.ended !== undefined && last === this.tree.seq;
    // Only what these entries use: more is emitted while the append is on its way.
    const uses = this.#uses.filter(({ seq }) => seq <= last);
    return {
      fence: this.fence,
      head: this.#head,
      last,
      frames,
      summary: {
        status: this.tree.ended && !isEnd ? 'running' : runStatus(this.tree),
        approvals: this.tree.undecided,
      },
      ...(uses.length > 0 ? { uses } : {}),
      ...(isEnd ? { ends: true } : {}),
    };
  }

  /** What has gathered; of very much, as much as one append takes, cut behind a text: nothing else stands alone. */
  #nextFrames(): { readonly frames: string; readonly last: number } {
    let frames = '';
    let last = this.#head;
    for (const entry of this.#unacknowledged) {
      frames += encode(entry);
      last = entry.seq;
      if (frames.length >= largestAppend && entry.event.type === 'text.appended') break;
    }
    return { frames, last };
  }

  #acknowledge(last: number): void {
    this.#head = last;
    this.#unacknowledged = this.#unacknowledged.filter(({ seq }) => seq > last);
    this.#uses = this.#uses.filter(({ seq }) => seq > last);
    const ready = this.#waiters.filter(({ seq }) => seq <= last);
    this.#waiters = this.#waiters.filter(({ seq }) => seq > last);
    for (const { resolve } of ready) resolve();
  }

  /** The outcome of a failed append is unknown until the store says where the run stands. */
  async #reconcile(thrown: unknown): Promise<void> {
    if (!(thrown instanceof RunError)) throw thrown;
    const { run, epoch } = this.fence;
    try {
      const row = await this.#settings.store.dispatch.get(run);
      const isOurs = row?.epoch === epoch && (row.state === 'running' || row.head > this.#head);
      if (!isOurs) return this.#lose(new RunError('rejected', `Run ${run} is with another worker now.`));
      if (row.head > this.#head) this.#acknowledge(row.head);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
    }
  }

  #lose(why: RunError): void {
    this.#isLost = true;
    this.#tellLost(why);
  }

  #giveUp(thrown: unknown): void {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    this.#lose(
      new RunError('unavailable', `Run ${this.fence.run} is left to be resumed: ${why}`, { cause: thrown }),
    );
  }
}
