import { RunError, type Failure, type Source, type WorkflowsClient } from '../../../src/client/client.ts';
import type { WorkflowDraft } from '../../../src/wire/native/workflows.ts';
import { jsonOfDraft, type DraftGraph } from '../canvas/model/draft-graph.ts';
import type { Editing } from '../canvas/model/editing.ts';

/** How what is drawn stands with what is kept. */
export interface Saving {
  readonly is: 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict';
  /** Of the draft as it was last read or saved; 0 where there is none. */
  readonly revision: number;
  readonly failure?: Failure;
  /** What somebody else has saved meanwhile. */
  readonly theirs?: WorkflowDraft;
}

/** What is drawn is saved after so long without a change. Milliseconds. */
const settling = 600;
/** What could not be saved is tried again after so long. */
const patience = 3_000;

/** Saves what is drawn, one draft after the other, each over the one that was read. */
export class DraftKeeper implements Source<Saving> {
  readonly #client: Pick<WorkflowsClient, 'save' | 'draft'>;
  readonly #name: string;
  readonly #editing: Editing;
  readonly #listeners = new Set<() => void>();
  #saving: Saving;
  #kept = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> | undefined;

  constructor(
    client: Pick<WorkflowsClient, 'save' | 'draft'>,
    editing: Editing,
    { name, revision }: { readonly name: string; readonly revision: number },
  ) {
    this.#client = client;
    this.#name = name;
    this.#editing = editing;
    this.#saving = { is: 'saved', revision };
  }

  readonly getSnapshot = (): Saving => this.#saving;

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
    return this.getSnapshot().is === 'saved';
  }

  /** What the other has saved is what is drawn now. */
  takeTheirs(graph: DraftGraph): void {
    const { theirs } = this.#saving;
    if (!theirs) return;
    this.#editing.replace(graph);
    this.#kept = this.#editing.getSnapshot().changes;
    clearTimeout(this.#waiting);
    this.#tell({ is: 'saved', revision: theirs.revision });
  }

  /** What is drawn here is saved over what the other has saved. */
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
    const { graph, changes } = this.#editing.getSnapshot();
    const { revision } = this.#saving;
    this.#tell({ is: 'saving', revision });
    try {
      const json = jsonOfDraft(graph) as WorkflowDraft['graph'];
      const saved = await this.#client.save(this.#name, json, revision);
      this.#kept = changes;
      const isAll = this.#editing.getSnapshot().changes === changes;
      this.#tell({ is: isAll ? 'saved' : 'unsaved', revision: saved.revision });
      if (!isAll) this.#wait(settling);
    } catch (thrown) {
      await this.#failed(thrown, revision);
    }
  }

  async #failed(thrown: unknown, revision: number): Promise<void> {
    if (!(thrown instanceof RunError)) throw thrown;
    const { failure } = thrown;
    const theirs =
      failure.code === 'rejected' ? await this.#client.draft(this.#name).catch(() => undefined) : undefined;
    if (theirs && theirs.revision !== revision)
      return this.#tell({ is: 'conflict', revision, failure, theirs });
    this.#tell({ is: 'failed', revision, failure });
    if (failure.retryable) this.#wait(patience);
  }

  #tell(saving: Saving): void {
    this.#saving = saving;
    for (const changed of this.#listeners) changed();
  }
}
