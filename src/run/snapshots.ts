import type { Channel, StepId } from './events.ts';
import { flatApproval, type FlatApproval } from './flat-approval.ts';
import { flatStep, type FlatStep } from './flat-step.ts';
import { flatTree, type FlatMaking, type FlatTree } from './flat-tree.ts';
import { stepOf, type RunTree, type Step } from './tree.ts';

interface Read {
  readonly first: string;
  count: number;
  text: string;
}

/**
 * A run as values that never change: what has changed since the last snapshot is a new object, all else is the object it
 * was. A step of the same version is the same step, whichever tree of the run it stands in, so this holds when a viewer
 * comes back, and when it goes to another moment.
 */
export class Snapshots {
  readonly #run: string | undefined;
  readonly #steps = new Versions<StepId, FlatStep>();
  readonly #approvals = new Versions<string, FlatApproval>();
  readonly #texts = new WeakMap<readonly string[], Read>();
  #last: FlatTree | undefined;

  constructor(run?: string) {
    this.#run = run;
  }

  of(tree: RunTree): FlatTree {
    const making: FlatMaking = {
      step: (step, approvals) => this.#step(step, () => approvals),
      approval: (approval) =>
        this.#approvals.at(approval.approval, stepOf(tree, approval.step).version, () =>
          flatApproval(approval),
        ),
    };
    const flat = flatTree(tree, this.#run, making);
    this.#last = this.#last === undefined ? flat : unchanged(this.#last, flat);
    return this.#last;
  }

  /** One step alone; undefined before it is there. */
  step(tree: RunTree, id: StepId): FlatStep | undefined {
    const step = tree.steps.get(id);
    return step && this.#step(step, () => approvalsOf(tree, id));
  }

  #step(step: Step, approvals: () => readonly string[]): FlatStep {
    return this.#steps.at(step.id, step.version, () =>
      flatStep(step, approvals(), (of, channel) => this.#read(of, channel)),
    );
  }

  /** Words grow by pieces: joined anew for each of them, a long text would cost the square of its length. */
  #read({ text }: Step, channel: Channel = 'content'): string {
    const pieces = text[channel];
    if (pieces === undefined) return '';
    const [first = ''] = pieces;
    let read = this.#texts.get(pieces);
    // A step that closes keeps its pieces as one: what was read of them is no beginning any more.
    if (read?.first !== first) read = { first, count: 0, text: '' };
    for (; read.count < pieces.length; read.count += 1) read.text += pieces[read.count];
    this.#texts.set(pieces, read);
    return read.text;
  }
}

function approvalsOf(tree: RunTree, id: StepId): readonly string[] {
  return [...tree.approvals.values()].filter(({ step }) => step === id).map(({ approval }) => approval);
}

/** Of something the newest value, and the one for a moment that somebody went back to, each with its version. */
interface Made<T> {
  newest: T;
  version: number;
  older?: T;
  olderVersion?: number;
}

/** Values by the version they were made for. Going to a moment asks for each of thousands of steps: nothing is made for one that is known. */
class Versions<Key, T extends object> {
  readonly #made = new Map<Key, Made<T>>();

  at(key: Key, version: number, make: () => T): T {
    const made = this.#made.get(key);
    if (made === undefined) {
      const newest = make();
      this.#made.set(key, { newest, version });
      return newest;
    }
    if (made.version === version) return made.newest;
    if (made.olderVersion === version && made.older !== undefined) return made.older;
    // A version moves also with what is not shown, as a new child.
    let value = unchanged(made.newest, make());
    if (made.older !== undefined) value = unchanged(made.older, value);
    if (version > made.version) {
      made.newest = value;
      made.version = version;
    } else {
      made.older = value;
      made.olderVersion = version;
    }
    return value;
  }
}

/** The parts that are as they were stay the objects they were, and so does the whole where all are. */
function unchanged<T extends object>(before: T, now: T): T {
  const next: T = { ...now };
  for (const [name, value] of Object.entries(now))
    Reflect.set(next, name, asBefore(Reflect.get(before, name), value));
  return isAlike(before, next) ? before : next;
}

/** A value, or the one before it where that has the same in it; so are the parts of a list. */
export function asBefore<T>(was: T | undefined, is: T): T {
  if (Array.isArray(was) && Array.isArray(is)) return listAsBefore(was, is) as T;
  return was !== undefined && isAlike(was, is) ? was : is;
}

function listAsBefore(was: readonly unknown[], is: readonly unknown[]): readonly unknown[] {
  // Of thousands of steps one has changed: nothing is made for the others.
  let kept: unknown[] | undefined = was.length === is.length ? undefined : [...is];
  for (let i = 0; i < is.length; i += 1) {
    const known = was[i];
    const value = is[i];
    if (known === value) continue;
    if (!isAlike(known, value)) kept ??= [...was.slice(0, i), ...is.slice(i)];
    else if (kept) kept[i] = known;
  }
  return kept ?? was;
}

/** Whether they have the same in every field. */
function isAlike(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.is(Reflect.get(one, name), Reflect.get(other, name)))
  );
}
