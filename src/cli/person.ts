import type { Command } from '../run/commands.ts';
import { failureOf } from '../run/failure.ts';
import { runStatus, undecidedApprovals, type Approval, type RunTree } from '../run/tree.ts';
import { isBlobRef, type Json } from '../run/values.ts';
import { localTenant, type Home } from '../server/home.ts';
import { edited, press, type Asked, type Asking, type Question } from './asking.ts';
import { chosenEditor, editOutside } from './editor.ts';
import type { Key } from './keys.ts';
import type { Line } from './line.ts';
import { argumentLines, questionLines } from './question.ts';
import { whoIsHere } from './terminal.ts';

/** What a person's answers need of the terminal they are given at. */
export interface Place {
  /** Do something that has the terminal to itself. */
  aside<T>(work: () => T): T;
  /** Lines that stay. */
  print(lines: (width: number) => readonly Line[]): void;
}

/** Whoever sits at the terminal of a run: what they are asked, and what comes of their keys. */
export class Person {
  readonly #home: Home;
  readonly #run: string;
  readonly #place: Place;
  readonly #left = new AbortController();
  readonly #values = new Map<string, Json>();
  readonly #putOff = new Set<string>();
  readonly #decided = new Set<string>();
  #asking: Asking = { at: 'choice' };
  #isInterrupting = false;
  #problem = '';

  constructor(home: Home, run: string, place: Place) {
    this.#home = home;
    this.#run = run;
    this.#place = place;
  }

  /** Aborts when they leave. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** What they have put off here, they will answer elsewhere. */
  expects({ approval }: Approval): boolean {
    return !this.#putOff.has(approval);
  }

  lines(tree: RunTree, width: number): Line[] {
    const lines = this.#isInterrupting ? interruption(tree) : this.#questionLines(tree, width);
    if (this.#problem !== '') lines.push([[this.#problem, 'red']]);
    return lines;
  }

  press(key: Key, tree: RunTree): void {
    this.#problem = '';
    if (key.ctrl && key.name === 'c') {
      if (this.#isInterrupting || tree.stopping || tree.ended) this.#left.abort();
      this.#isInterrupting = true;
    } else if (this.#isInterrupting) this.#interrupt(key, tree);
    else this.#answer(key, tree);
  }

  #interrupt({ name, text }: Key, tree: RunTree): void {
    const by = whoIsHere();
    if (name === 'escape') this.#isInterrupting = false;
    if (text === 'l') this.#left.abort();
    if (text === 's') this.#send({ type: 'stop', by });
    if (text === 'p') this.#send({ type: tree.paused ? 'resume' : 'pause', by });
  }

  #answer(key: Key, tree: RunTree): void {
    const question = this.#question(tree);
    if (!question) return;
    const [asking, asked] = press(this.#asking, key, question);
    this.#asking = asking;
    if (asked) this.#follow(asked, question);
  }

  #follow(asked: Asked, { value, approval }: Question): void {
    if (asked.type === 'showAll') return this.#place.print((width) => argumentLines(value, width, Infinity));
    if (asked.type === 'decide') {
      const { decision } = asked;
      (decision.decision === 'defer' ? this.#putOff : this.#decided).add(approval.approval);
      return this.#send({ type: 'decide', by: whoIsHere(), ...decision });
    }
    const editor = chosenEditor();
    if (editor === undefined) return;
    const written = this.#place.aside(() => editOutside(editor, value));
    this.#asking = 'value' in written ? edited(written.value) : { at: 'choice', problem: written.problem };
  }

  #send(command: Command): void {
    this.#isInterrupting = false;
    this.#home.send(this.#run, command).catch((thrown: unknown) => {
      if (command.type === 'decide') this.#decided.delete(command.approval);
      this.#problem = failureOf(thrown).message;
    });
  }

  #open(tree: RunTree): Approval[] {
    return undecidedApprovals(tree).filter(
      ({ approval }) => !this.#putOff.has(approval) && !this.#decided.has(approval),
    );
  }

  #question(tree: RunTree): Question | undefined {
    const [approval] = this.#open(tree);
    if (!approval) return undefined;
    return { approval, value: this.#valueOf(approval), hasEditor: chosenEditor() !== undefined };
  }

  /** What is too large for the journal is fetched: a person must see all of what they agree to. */
  #valueOf({ approval, arguments: given = null }: Approval): Json {
    if (!isBlobRef(given)) return given;
    const known = this.#values.get(approval);
    if (known !== undefined) return known;
    this.#values.set(approval, `${given.size} bytes are on their way…`);
    void this.#home.blobs.get(localTenant, given.blob).then((text) => {
      if (text !== undefined) this.#values.set(approval, JSON.parse(text) as Json);
    });
    return null;
  }

  #questionLines(tree: RunTree, width: number): Line[] {
    const question = this.#question(tree);
    if (!question) return [];
    const others = this.#open(tree).length - 1;
    return questionLines(question, this.#asking, { width, others });
  }
}

function interruption(tree: RunTree): Line[] {
  const toggle = runStatus(tree) === 'paused' ? ' resume  ' : ' pause  ';
  return [
    [['Stop this run, or leave it to be resumed?', 'bold']],
    [
      ['  '],
      ['s', 'bold', 'underline'],
      [' stop  '],
      ['p', 'bold', 'underline'],
      [toggle],
      ['l', 'bold', 'underline'],
      [' leave  '],
      ['Esc', 'bold', 'underline'],
      [' go on  '],
      ['Ctrl-C again leaves at once', 'dim'],
    ],
  ];
}
