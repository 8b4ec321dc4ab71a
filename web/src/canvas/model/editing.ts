import type { Source } from '../../../../src/client/client.ts';
import type { DraftGraph } from './draft-graph.ts';
import type { Edit } from './edits.ts';

/** What somebody works on, and whether there is anything to take back or do again. */
export interface Edited {
  readonly graph: DraftGraph;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** How often it was changed: what is saved says up to which change. */
  readonly changes: number;
}

const mostSteps = 200;

/** A graph that is edited, with all that was changed in it. Changes of the same thing in a row are one. */
export class Editing implements Source<Edited> {
  readonly #listeners = new Set<() => void>();
  readonly #past: DraftGraph[] = [];
  #future: DraftGraph[] = [];
  #topic = '';
  #edited: Edited;

  constructor(graph: DraftGraph) {
    this.#edited = { graph, canUndo: false, canRedo: false, changes: 0 };
  }

  readonly getSnapshot = (): Edited => this.#edited;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  /** `topic` names what is changed, such as one field: what is written there letter by letter is taken back at once. */
  edit(edit: Edit, topic = ''): void {
    const { graph } = this.#edited;
    const after = edit(graph);
    if (after === graph) return;
    if (topic === '' || topic !== this.#topic) this.#past.push(graph);
    if (this.#past.length > mostSteps) this.#past.shift();
    this.#topic = topic;
    this.#future = [];
    this.#show(after);
  }

  /** What was written elsewhere, such as another's draft: nothing before it can be taken back. */
  replace(graph: DraftGraph): void {
    this.#past.length = 0;
    this.#future = [];
    this.#topic = '';
    this.#show(graph);
  }

  undo(): void {
    this.#turn(this.#past, this.#future);
  }

  redo(): void {
    this.#turn(this.#future, this.#past);
  }

  #turn(from: DraftGraph[], to: DraftGraph[]): void {
    const graph = from.pop();
    if (!graph) return;
    to.push(this.#edited.graph);
    this.#topic = '';
    this.#show(graph);
  }

  #show(graph: DraftGraph): void {
    const changes = this.#edited.changes + 1;
    this.#edited = { graph, canUndo: this.#past.length > 0, canRedo: this.#future.length > 0, changes };
    for (const changed of this.#listeners) changed();
  }
}
