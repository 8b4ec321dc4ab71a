import type { EventOf, RunEvent } from '../run/events.ts';
import { RunError } from '../run/failure.ts';
import { isOpen, type Step } from '../run/tree.ts';
import type { Item, Json, Limits } from '../run/values.ts';
import { askPerson } from './ask.ts';
import { runCall } from './call.ts';
import { composite, openComposite } from './composite.ts';
import type { Execution } from './execution.ts';
import { Keys } from './keys.ts';
import type {
  Answer,
  Branches,
  CallOptions,
  CallResult,
  PlannedStep,
  Question,
  Scope,
  StepOptions,
  TurnRequest,
  TurnResult,
} from './scope.ts';
import { runTurn } from './turn.ts';

/** The scope of one step, as the flow uses it. */
export class ScopeIn implements Scope {
  readonly #execution: Execution;
  readonly #step: Step;
  readonly #keys: Keys;
  #said = 0;
  #polls = 0;
  #draws = 0;

  constructor(execution: Execution, step: Step) {
    this.#execution = execution;
    this.#step = step;
    this.#keys = new Keys(step.title);
  }

  get id(): number {
    return this.#step.id;
  }

  get run(): string {
    return this.#execution.run;
  }

  get conversation(): string {
    return this.#execution.tree.started?.conversation ?? this.run;
  }

  get limits(): Limits {
    return this.#execution.tree.started?.limits ?? {};
  }

  get openedAt(): number {
    return this.#step.openedAt ?? 0;
  }

  random(): number {
    this.#draws += 1;
    const digits = this.#execution.world.hash(`${this.run}/${this.id}/${this.#draws}`).slice(0, 13);
    return Number.parseInt(digits, 16) / 2 ** 52;
  }

  step<T>(options: StepOptions, work: (scope: Scope) => Promise<T>): Promise<T> {
    const kind = options.kind ?? 'step';
    return this.#keys.use(kind, options.key, (key) =>
      composite(this.#execution, { ...options, kind, key, parent: this.id }, (step) =>
        work(new ScopeIn(this.#execution, step)),
      ),
    );
  }

  turn(name: string, request: TurnRequest): Promise<TurnResult> {
    const agent = this.#execution.world.catalog.agents.find((candidate) => candidate.name === name);
    if (!agent) return Promise.reject(unknownName('agent', name, this.#execution.world.catalog.agents));
    return this.#keys.use('turn', request.key, (key) =>
      runTurn(this.#execution, agent, { ...request, key, parent: this.id }),
    );
  }

  call(name: string, input: Json, options: CallOptions = {}): Promise<CallResult> {
    const tool = this.#execution.world.catalog.tools.find((candidate) => candidate.name === name);
    if (!tool) return Promise.reject(unknownName('tool', name, this.#execution.world.catalog.tools));
    return this.#keys.use('call', options.key, (key) =>
      runCall(this.#execution, tool, { ...options, key, parent: this.id, input }),
    );
  }

  ask(question: Question): Promise<Answer> {
    return this.#keys.use('ask', question.key, (key) =>
      askPerson(this.#execution, { ...question, key, parent: this.id }),
    );
  }

  async parallel<T extends Record<string, unknown>>(branches: Branches<T>): Promise<T> {
    for (let gate = this.#execution.gate(); gate; gate = this.#execution.gate()) await gate;
    const names = Object.keys(branches);
    // All branches are opened before any of them runs, so that people see the whole fan at once.
    const opened = names.map((key) =>
      openComposite(this.#execution, { key, kind: 'branch', title: key, parent: this.id }),
    );
    const settled = await Promise.allSettled(
      names.map((key, i) =>
        this.#keys.use('branch', key, () =>
          composite(
            this.#execution,
            { key, kind: 'branch', title: key, parent: this.id, opened: opened[i] },
            (step) =>
              (branches[key] as (scope: Scope) => Promise<unknown>)(new ScopeIn(this.#execution, step)),
          ),
        ),
      ),
    );
    const results: Record<string, unknown> = {};
    for (const [i, branch] of settled.entries()) {
      if (branch.status === 'rejected') throw branch.reason;
      results[names[i] ?? ''] = branch.value;
    }
    return results as T;
  }

  plan(steps: readonly PlannedStep[]): void {
    for (const { key, title, kind = 'step' } of steps) {
      if (this.#execution.recorded.child(this.id, key)) continue;
      const step = this.#execution.tree.nextStep;
      this.#execution.emit({ type: 'step.planned', step, parent: this.id, key, kind, title });
      const planned = this.#execution.tree.steps.get(step);
      if (planned) this.#execution.recorded.plan(planned);
    }
  }

  phase(phase: Omit<EventOf<'phase.entered'>, 'type' | 'step'>): void {
    this.#say({ type: 'phase.entered', step: this.id, ...phase });
  }

  say(text: string, channel: 'content' | 'reasoning' | 'log' = 'content'): void {
    this.#say({ type: 'text.appended', step: this.id, channel, text });
  }

  attach(item: Item): void {
    this.#say({ type: 'item.attached', step: this.id, item });
  }

  notice(code: string, message: string): void {
    this.#say({ type: 'notice.posted', step: this.id, code, message });
  }

  save(agent: string, strategy: string, state: Json): void {
    this.#say({ type: 'state.saved', step: this.id, agent, strategy, state });
  }

  message(): Omit<EventOf<'message.queued'>, 'type'> | undefined {
    this.#polls += 1;
    const { recorded, tree } = this.#execution;
    const poll = this.#polls;
    const known = recorded.taken(this.id, poll);
    const isPast = recorded.unvisited(this.id).length > 0 || this.#said < recorded.said(this.id);
    if (known === undefined && isPast) return undefined;
    const message =
      known === undefined
        ? [...tree.messages.values()].find((m) => m.takenBy === undefined)
        : tree.messages.get(known);
    if (!message) return undefined;
    if (known === undefined)
      this.#execution.emit({ type: 'message.taken', message: message.id, step: this.id, poll });
    return { message: message.id, text: message.text, by: message.by, attachments: [...message.attachments] };
  }

  /** What a flow says is numbered, so that a recovery does not say it again. */
  #say(event: RunEvent): void {
    this.#said += 1;
    if (this.#said > this.#execution.recorded.said(this.id) && isOpenScope(this.#step))
      this.#execution.emit(event);
  }
}

function isOpenScope(step: Step): boolean {
  return step.id === 0 || isOpen(step);
}

function unknownName(what: string, name: string, known: readonly { readonly name: string }[]): RunError {
  const names = known.map((candidate) => candidate.name).join(', ') || 'none';
  return new RunError('unknown', `There is no ${what} «${name}»; known: ${names}.`);
}
