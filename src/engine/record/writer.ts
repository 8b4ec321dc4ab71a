import type { Kind } from '../../guards/guard.ts';
import type { Secrets } from '../../guards/secrets.ts';
import type { Entry, EventOf, RunEvent, StepId } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { indexed, joinIndexed, type Indexed } from '../../run/facts.ts';
import { fold, encode } from '../../run/entries.ts';
import { runStatus, type RunTree } from '../../run/tree.ts';
import type { KeptText, Append, Appender, Fence, Haste, Store } from '../../stores/store.ts';
import type { Clock } from '../time/clock.ts';
import type { Meter } from '../meter.ts';
import { RunTime, type StoreTime } from '../time/deadlines.ts';
import { HoldBack } from './hold-back.ts';
import { referencesIn } from '../../run/values.ts';
import type { RunGuards } from './recordable.ts';
import { unowned } from '../scope/composite.ts';

/** How long a store may be unavailable before the run is left to be recovered. */
const patience = 10_000;
/** Characters that are written, read and told at once. */
const largestAppend = 1 << 20;
/** Characters that may wait to be written before whoever brings more is told to wait. */
const mostUnwritten = 2 * largestAppend;
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

/** What goes with an event. */
interface Beside {
  /** The command it comes of. */
  readonly command?: string;
  /** The large text it refers to. */
  readonly kept?: Omit<KeptText, 'tenant'> | undefined;
}

/** Entries that are appended together: encoded when they are emitted, given to the store as often as it takes. */
interface Part {
  frames: string;
  last: number;
  blobs: KeptText[] | undefined;
  /** What they add to the index. */
  indexed: Indexed | undefined;
  /** As much as one append takes, cut behind a text: nothing else stands alone. */
  isFull: boolean;
}

interface Waiter {
  readonly seq: number;
  readonly since: number;
  readonly haste: Haste;
  readonly resolve: () => void;
}

const rank: Readonly<Record<Haste | 'not', number>> = { not: 0, none: 1, some: 2, great: 3 };

/**
 * The only way into a run's journal. `emit` never waits: it numbers, stamps, folds and encodes at once, and what has
 * gathered is appended in order when the store asks for it, one append under way. Whoever must not act before the journal
 * knows awaits `barrier`.
 */
export class Writer implements Appender {
  readonly tree: RunTree;
  readonly fence: Fence;
  readonly run: string;
  /** Resolves when the run is with another worker, or the store stayed unavailable. */
  readonly lost: Promise<RunError>;
  readonly #time: RunTime;
  readonly #settings: Settings;
  readonly #holdBack: HoldBack;
  readonly #tellLost: (why: RunError) => void;
  #head: number;
  #isLost = false;
  /** The first of them may be under way; only the last one grows, while it is not. */
  #parts: Part[] = [];
  #underWay: Part | undefined;
  #offered: Haste | 'not' = 'not';
  #unwritten = 0;
  #failing: { readonly since: number; readonly pause: number } | undefined;
  #uses: { readonly command: string; readonly seq: number }[] = [];
  #waiters: Waiter[] = [];
  #room: PromiseWithResolvers<void> | undefined;

  constructor(settings: Settings) {
    const { promise, resolve } = Promise.withResolvers<RunError>();
    this.tree = settings.tree;
    this.fence = settings.fence;
    this.run = settings.fence.run;
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

  emit(event: RunEvent, { command, kept }: Beside = {}): void {
    this.#holdBack.pass(event);
    if (command !== undefined) this.#uses.push({ command, seq: this.tree.seq });
    const part = kept && this.#parts.at(-1);
    if (part) (part.blobs ??= []).push({ tenant: this.tree.started?.tenant ?? '', ...kept });
  }

  /** What this run may say, from now on. */
  guardBy(guards: RunGuards | undefined): void {
    this.#holdBack.guardBy(guards);
  }

  /** Whether a guard ended what a step says. */
  isEnded(step: StepId): boolean {
    return this.#holdBack.isEnded(step);
  }

  /** What a guard took out of what a step gave. */
  tellFound(step: StepId, kind: Kind): void {
    this.#holdBack.noticeOf(step, kind);
  }

  /** Emit what is said in one go: it becomes one entry, or was recorded by an earlier worker. */
  say(event: EventOf<'text.appended'>, isRecorded = false): void {
    if (isRecorded) this.#holdBack.sayAgain(event);
    else this.#holdBack.say(event);
  }

  #record(event: RunEvent): void {
    const entry = this.#time.entry(this.tree.seq + 1, event);
    fold(this.tree, entry);
    this.#settings.meter?.recorded(event, this.tree);
    this.#gather(encode(entry), entry);
    this.#offer('none');
  }

  #gather(frame: string, entry: Entry): void {
    const { seq, event } = entry;
    this.#unwritten += frame.length;
    // When it is written depends on the disk; what a run may say must not.
    this.#settings.space.take(Buffer.byteLength(frame));
    let part = this.#parts.at(-1);
    if (!part || part.isFull || part === this.#underWay) {
      part = { frames: '', last: 0, blobs: undefined, indexed: undefined, isFull: false };
      this.#parts.push(part);
    }
    part.frames += frame;
    part.last = seq;
    if (event.type === 'text.appended') part.isFull = part.frames.length >= largestAppend;
    else part.indexed = joinIndexed(part.indexed, indexed(entry, this.tree));
  }

  /** Resolves when everything emitted so far is durable, and never if this worker has lost the run. */
  barrier(haste: Haste = 'great'): Promise<void> {
    const { seq } = this.tree;
    if (this.#head >= seq) return Promise.resolve();
    this.#offer(haste);
    const since = this.#settings.clock.worked();
    return new Promise((resolve) => this.#waiters.push({ seq, since, haste, resolve }));
  }

  /** Have what was emitted seen as soon as can be, although nobody waits for it here. */
  hurry(): void {
    // As one who waits: while an append is under way nothing is offered, and only those who wait are remembered.
    void this.barrier();
  }

  /** Resolves when there is room for more: undefined while there is. Whoever brings text must not bring it without end. */
  room(): Promise<void> | undefined {
    if (this.#unwritten <= mostUnwritten) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  #offer(haste: Haste): void {
    const isFirst = this.#offered === 'not';
    if (this.#underWay || this.#isLost || rank[this.#offered] >= rank[haste]) return;
    this.#offered = haste;
    const { journal } = this.#settings.store;
    // What is written of a run is nobody's, whoever set it off.
    if (journal.offer) unowned(() => journal.offer?.(this, haste));
    else if (isFirst) unowned(() => queueMicrotask(() => this.#append()));
  }

  /** For a store that does not ask. */
  #append(): void {
    const append = this.next();
    if (!append) return;
    this.#settings.store.journal.append(append).then(
      () => this.durable(),
      (thrown: unknown) => this.failed(thrown),
    );
  }

  next(): Append | undefined {
    this.#offered = 'not';
    const [part] = this.#parts;
    if (!part || this.#underWay || this.#isLost || this.#settings.signal.aborted) return undefined;
    this.#underWay = part;
    const { frames, last, blobs, indexed: more } = part;
    const isEnd = this.tree.ended !== undefined && last === this.tree.seq;
    // Only what these entries use: more is emitted while the append is on its way.
    const uses = this.#uses.length === 0 ? this.#uses : this.#uses.filter(({ seq }) => seq <= last);
    return {
      fence: this.fence,
      head: this.#head,
      last,
      frames,
      summary: {
        status: this.tree.ended && !isEnd ? 'running' : runStatus(this.tree),
        approvals: this.tree.undecided,
      },
      uses: uses.length > 0 ? uses : undefined,
      blobs,
      indexed: more,
      ends: isEnd || undefined,
    };
  }

  durable(): void {
    if (!this.#underWay) return;
    this.#failing = undefined;
    this.#acknowledge(this.#underWay.last);
    this.#goOn();
  }

  failed(thrown: unknown): void {
    this.#mend(thrown).catch((cause: unknown) =>
      this.#lose(new RunError('internal', `Run ${this.run} could not be written.`, { cause })),
    );
  }

  #goOn(): void {
    this.#underWay = undefined;
    if (this.#parts.length === 0) return;
    let most: Haste = 'none';
    for (const { haste } of this.#waiters) if (rank[haste] > rank[most]) most = haste;
    this.#offer(most);
  }

  /** Find out what became of an append, and offer what is left: the same text again. */
  async #mend(thrown: unknown): Promise<void> {
    const { clock, signal } = this.#settings;
    const { since, pause } = this.#failing ?? { since: clock.worked(), pause: firstPause };
    this.#failing = { since, pause };
    const before = this.#head;
    await this.#reconcile(thrown);
    if (this.#isLost) return;
    if (this.#head === before) {
      if (clock.worked() - since >= patience) return this.#giveUp(thrown);
      await clock.sleep(pause, signal);
      this.#failing = { since, pause: Math.min(pause * 2, longestPause) };
    }
    this.#goOn();
  }

  #acknowledge(last: number): void {
    this.#head = last;
    while ((this.#parts[0]?.last ?? Infinity) <= last)
      this.#unwritten -= this.#parts.shift()?.frames.length ?? 0;
    if (this.#uses.length > 0) this.#uses = this.#uses.filter(({ seq }) => seq > last);
    if (this.#room && this.#unwritten <= mostUnwritten) {
      this.#room.resolve();
      this.#room = undefined;
    }
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter(({ seq }) => seq <= last);
    this.#waiters = this.#waiters.filter(({ seq }) => seq > last);
    const now = this.#settings.clock.worked();
    for (const { since, resolve } of ready) {
      this.#settings.meter?.committed(now - since);
      resolve();
    }
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

/** What a run whose space is used up may still write to come to its end. */
export const lastSpace = { entries: 10_000, bytes: 4_000_000 } as const;

/** How many bytes a run writes before its tenant's share is looked at again. */
const stride = 256 * 1024;

export interface SpaceSettings {
  readonly tree: RunTree;
  readonly store: Store;
  /** What its journal, and all that is kept beside it, has already. */
  readonly bytes: number;
  /** What all runs of a tenant may have together. */
  readonly bytesPerTenant?: number | undefined;
}

/** What a run takes up in the store: entries, and bytes with all that is kept beside them. */
export class Space {
  readonly #settings: SpaceSettings;
  #bytes: number;
  #lookAgainAt: number;
  /** What the tenant has, as far as is known. */
  #held = 0;

  constructor(settings: SpaceSettings) {
    this.#settings = settings;
    this.#bytes = settings.bytes;
    // Whoever let a new run begin has just looked.
    this.#lookAgainAt = settings.bytes === 0 ? stride : settings.bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    const { bytesPerTenant, tree, store } = this.#settings;
    if (bytesPerTenant === undefined || this.#bytes < this.#lookAgainAt) return;
    this.#lookAgainAt = this.#bytes + stride;
    // A store that does not answer now is asked again: what is written meanwhile fails anyway.
    store.blobs.held(tree.started?.tenant ?? '').then(
      (held) => (this.#held = held),
      () => (this.#lookAgainAt = this.#bytes),
    );
  }

  /** Why nothing more may be written, but for so much. */
  used(beyond: { readonly entries: number; readonly bytes: number } = none): string | undefined {
    const { tree, bytesPerTenant = Infinity } = this.#settings;
    const { entries, bytes } = tree.limits;
    if (tree.seq >= entries + beyond.entries) return `The run has used up its ${entries} entries.`;
    if (this.#bytes >= bytes + beyond.bytes) return `The run has used up its ${bytes} bytes.`;
    if (this.#held >= bytesPerTenant + beyond.bytes)
      return `All runs together have used up their ${bytesPerTenant} bytes: erase some.`;
    return undefined;
  }
}

const none = { entries: 0, bytes: 0 };

/** How many bytes are kept beside the journal for an entry. */
export function bytesBeside(event: RunEvent): number {
  return referencesIn(event).reduce((bytes, { size }) => bytes + size, 0);
}
