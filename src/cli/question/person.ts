import type { Command } from '../../run/commands.ts';
import { failureOf } from '../../run/failure.ts';
import { runStatus, undecidedApprovals, type Approval, type RunTree } from '../../run/tree.ts';
import { folderOwner } from '../../run/owner.ts';
import type { TerminalHome } from '../place/terminal-home.ts';
import { edited, press, type Asked, type Asking, type Question } from './asking.ts';
import { chosenEditor, editOutside } from '../terminal/editor.ts';
import type { Key } from '../terminal/keyboard.ts';
import type { Line } from '../terminal/line.ts';
import { isCutShort, questionLines, wholeLines } from './question.ts';
import { questionAtHand, wholeQuestion, type WholeQuestion } from './whole-question.ts';

/** What a person's answers need of the terminal they are given at. */
export interface Place {
  /** Do something that has the terminal to itself. */
  aside<T>(work: () => T): T;
  /** Lines that stay. */
  print(lines: (width: number) => readonly Line[]): void;
}

/** Whoever sits at the terminal of a run: what they are asked, and what comes of their keys. */
export class Person {
  readonly #home: Pick<TerminalHome, 'server' | 'send'>;
  readonly #run: string;
  readonly #place: Place;
  readonly #left = new AbortController();
  readonly #wholes = new Map<string, WholeQuestion | 'coming'>();
  /** Those of which everything was printed. */
  readonly #seen = new Set<string>();
  #about = '';
  #width = 80;
  readonly #putOff = new Set<string>();
  readonly #decided = new Set<string>();
  #asking: Asking = { at: 'choice' };
  #isInterrupting = false;
  #problem = '';

  constructor(home: Pick<TerminalHome, 'server' | 'send'>, run: string, place: Place) {
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
    const by = folderOwner;
    if (name === 'escape') this.#isInterrupting = false;
    if (text === 'l') this.#left.abort();
    if (text === 's') this.#send({ type: 'stop', by });
    if (text === 'p' || (text === 'r' && tree.paused))
      this.#send({ type: tree.paused ? 'resume' : 'pause', by });
  }

  #answer(key: Key, tree: RunTree): void {
    const question = this.#question(tree);
    if (!question) return;
    const [asking, asked] = press(this.#asking, key, question);
    this.#asking = asking;
    if (asked) this.#follow(asked, question);
  }

  #follow(asked: Asked, question: Question): void {
    const { value, approval } = question;
    if (asked.type === 'showAll') return this.#showAll(question);
    if (asked.type === 'decide') {
      const { decision } = asked;
      (decision.decision === 'defer' ? this.#putOff : this.#decided).add(approval.approval);
      return this.#send({ type: 'decide', by: folderOwner, ...decision });
    }
    const editor = chosenEditor();
    if (editor === undefined) return;
    const written = this.#place.aside(() => editOutside(editor, value));
    this.#asking = 'value' in written ? edited(written.value) : { at: 'choice', problem: written.problem };
  }

  #showAll(question: Question): void {
    const { approval } = question.approval;
    const { unseen } = question;
    if (unseen !== undefined && this.#wholes.get(approval) === 'coming') return;
    this.#seen.add(approval);
    this.#place.print((width) => wholeLines(question, width, Infinity));
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

  #question(tree: RunTree, width = this.#width): Question | undefined {
    const [approval] = this.#open(tree);
    if (!approval) return undefined;
    // Whoever was about to answer one question must not answer the next one with the same key.
    if (this.#about !== approval.approval) this.#asking = { at: 'choice' };
    this.#about = approval.approval;
    const whole = questionAtHand(approval) ?? this.#fetched(approval);
    const hasEditor = chosenEditor() !== undefined;
    if (!whole) return { approval, value: null, hasEditor, unseen: this.#coming(approval) };
    const isSeen = this.#seen.has(approval.approval) || !isCutShort(whole, width);
    return { approval, hasEditor, ...whole, unseen: isSeen ? undefined : 'Press v to see all of it first.' };
  }

  #fetched({ approval }: Approval): WholeQuestion | undefined {
    const known = this.#wholes.get(approval);
    return known === 'coming' ? undefined : known;
  }

  /** What is too large for the journal is fetched, and until it is there nobody can agree to it. */
  #coming(asked: Approval): string {
    const { approval } = asked;
    if (!this.#wholes.has(approval)) {
      this.#wholes.set(approval, 'coming');
      wholeQuestion(this.#home.server, asked).then(
        (whole) => this.#wholes.set(approval, whole),
        (thrown: unknown) => {
          this.#wholes.delete(approval);
          this.#problem = failureOf(thrown).message;
        },
      );
    }
    return 'It is large and on its way…';
  }

  #questionLines(tree: RunTree, width: number): Line[] {
    const question = this.#question(tree, width);
    if (!question) return [];
    const others = this.#open(tree).length - 1;
    this.#width = width;
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
