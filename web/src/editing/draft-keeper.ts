import { RunError, type Failure, type Source } from '../../../src/client/client.ts';
import type { Editing } from './editing.ts';

/** A draft as the server keeps it. */
export interface Kept {
  readonly revision: number;
  readonly by: string;
  readonly at: number;
}

/** Where one draft is kept. What is not saved over the newest revision is refused. */
export interface Shelf<T, K extends Kept> {
  read(): Promise<K>;
  save(draft: T, revision: number): Promise<K>;
}

/** How what is edited stands with what is kept. */
export interface Saving<K extends Kept = Kept> {
  readonly is: 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict';
  /** Of the draft as it was last read or saved; 0 where there is none. */
  readonly revision: number;
  /** Why it could not be saved; told until it is. */
  readonly failure?: Failure | undefined;
  /** What was saved from here last, as the server has it. */
  readonly kept?: K | undefined;
  /** What somebody else has saved meanwhile. */
  readonly theirs?: K;
}

/** What is edited is saved after so long without a change. Milliseconds. */
const settling = 600;
/** What could not be saved is tried again after so long. */
const patience = 3_000;

/** Saves what is edited, one draft after the other, each over the one that was read. */
export class DraftKeeper<T, K extends Kept> implements Source<Saving<K>> {
  readonly #shelf: Shelf<T, K>;
  readonly #editing: Editing<T>;
  readonly #listeners = new Set<() => void>();
  #saving: Saving<K>;
  #kept = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> | undefined;

  constructor(shelf: Shelf<T, K>, editing: Editing<T>, revision: number) {
    this.#shelf = shelf;
    this.#editing = editing;
    this.#saving = { is: 'saved', revision };
  }

  readonly getSnapshot = (): Saving<K> => this.#saving;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  /** Saves whenever something is changed, until the returned function is called; what is not saved then is saved at once. */
  readonly follow = (): (() => void) => {
    const leave = this.#editing.subscribe(() => this.#changed());
    return () => {
      leave();
      if (this.#saving.is === 'unsaved') void this.flush();
      clearTimeout(this.#waiting);
    };
  };

  /** Saves now what is not saved yet; whether all of it is. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#waiting);
    await this.#working;
    if (this.#saving.is === 'conflict') return false;
    if (this.#kept !== this.#editing.getSnapshot().changes) {
      this.#working = this.#save();
      await this.#working;
    }
    return this.isAllSaved;
  }

  /** Whether nothing would be lost. */
  get isAllSaved(): boolean {
    return this.#saving.is === 'saved' && this.#editing.getSnapshot().unread === undefined;
  }

  /** Whether something is not saved that cannot be, as it is. */
  get isStuck(): boolean {
    const { is } = this.#saving;
    return is === 'conflict' || is === 'failed' || this.#editing.getSnapshot().unread !== undefined;
  }

  /** What the other has saved is what is edited now. */
  takeTheirs(draft: T): void {
    const { theirs } = this.#saving;
    if (!theirs) return;
    this.#editing.replace(draft);
    this.#kept = this.#editing.getSnapshot().changes;
    clearTimeout(this.#waiting);
    this.#tell({ is: 'saved', revision: theirs.revision, kept: theirs });
  }

  /** What is edited here is saved over what the other has saved. */
  async keepMine(): Promise<void> {
    const { theirs } = this.#saving;
    if (!theirs) return;
    this.#kept = -1;
    this.#tell({ is: 'unsaved', revision: theirs.revision });
    await this.flush();
  }

  #changed(): void {
    if (this.#saving.is === 'conflict' || this.#kept === this.#editing.getSnapshot().changes) return;
    if (this.#saving.is !== 'saving') this.#tell({ ...this.#saving, is: 'unsaved' });
    this.#wait(settling);
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => void this.flush(), milliseconds);
  }

  async #save(): Promise<void> {
    const { draft, changes } = this.#editing.getSnapshot();
    const { revision, failure } = this.#saving;
    this.#tell({ is: 'saving', revision, failure });
    try {
      const saved = await this.#shelf.save(draft, revision);
      this.#kept = changes;
      const isAll = this.#editing.getSnapshot().changes === changes;
      this.#tell({ is: isAll ? 'saved' : 'unsaved', revision: saved.revision, kept: saved });
      if (!isAll) this.#wait(settling);
    } catch (thrown) {
      await this.#failed(thrown, revision);
    }
  }

  async #failed(thrown: unknown, revision: number): Promise<void> {
    if (!(thrown instanceof RunError)) throw thrown;
    const { failure } = thrown;
    const theirs = failure.code === 'rejected' ? await this.#shelf.read().catch(() => undefined) : undefined;
    if (theirs && theirs.revision !== revision)
      return this.#tell({ is: 'conflict', revision, failure, theirs });
    this.#tell({ is: 'failed', revision, failure });
    if (failure.retryable) this.#wait(patience);
  }

  #tell(saving: Saving<K>): void {
    this.#saving = { kept: this.#saving.kept, ...saving };
    for (const changed of this.#listeners) changed();
  }
}
