import type { Source } from '../../../src/client/client.ts';

/** What somebody works on, and whether there is anything to take back or do again. */
export interface Edited<T> {
  readonly draft: T;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** How often it was changed: what is saved says up to which change. */
  readonly changes: number;
  /** What was written and cannot be read: it stands beside the draft until it can, or is thrown away. */
  readonly unread?: string | undefined;
}

const mostSteps = 200;

/** A draft that is edited, with all that was changed in it. Changes of the same thing in a row are one. */
export class Editing<T> implements Source<Edited<T>> {
  readonly #listeners = new Set<() => void>();
  readonly #past: T[] = [];
  #future: T[] = [];
  #topic = '';
  #edited: Edited<T>;

  constructor(draft: T) {
    this.#edited = { draft, canUndo: false, canRedo: false, changes: 0 };
  }

  readonly getSnapshot = (): Edited<T> => this.#edited;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  /** `topic` names what is changed, such as one field: what is written there letter by letter is taken back at once. */
  edit(edit: (draft: T) => T, topic = ''): void {
    const { draft } = this.#edited;
    const after = edit(draft);
    if (after === draft) return;
    if (topic === '' || topic !== this.#topic) this.#past.push(draft);
    if (this.#past.length > mostSteps) this.#past.shift();
    this.#topic = topic;
    this.#future = [];
    this.#show(after);
  }

  /** What was written elsewhere, such as another's draft: nothing before it can be taken back. */
  replace(draft: T): void {
    this.#past.length = 0;
    this.#future = [];
    this.#topic = '';
    this.#edited = { ...this.#edited, unread: undefined };
    this.#show(draft);
  }

  setUnread(unread: string | undefined): void {
    if (unread === this.#edited.unread) return;
    this.#edited = { ...this.#edited, unread };
    this.#tell();
  }

  undo(): void {
    this.#turn(this.#past, this.#future);
  }

  redo(): void {
    this.#turn(this.#future, this.#past);
  }

  #turn(from: T[], to: T[]): void {
    const draft = from.pop();
    if (draft === undefined) return;
    to.push(this.#edited.draft);
    this.#topic = '';
    this.#show(draft);
  }

  #show(draft: T): void {
    const { changes, unread } = this.#edited;
    const canUndo = this.#past.length > 0;
    this.#edited = { draft, canUndo, canRedo: this.#future.length > 0, changes: changes + 1, unread };
    this.#tell();
  }

  #tell(): void {
    for (const changed of this.#listeners) changed();
  }
}
