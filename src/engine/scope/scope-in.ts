import type { Deciders } from '../../run/deciders.ts';
import type { z } from 'zod';
import type { EventOf, RunEvent } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { isOpen, type Step, present } from '../../run/tree.ts';
import type { Item, Json, Limits } from '../../run/values.ts';
import { askPerson } from '../question/ask.ts';
import { runCall } from '../call/call.ts';
import { composite, Keys } from './composite.ts';
import type { Execution } from '../execution.ts';
import { fanOut } from './fan-out.ts';
import { runGraph } from './graph.ts';
import { keyAhead, lookAhead, lookUp } from './look-up.ts';
import { planSteps, skipPlanned } from './plan.ts';
import type {
  Answer,
  Before,
  Branches,
  CallOptions,
  Called,
  CallResult,
  Exchange,
  Fan,
  Looked,
  Looks,
  Nodes,
  Outcomes,
  PlannedStep,
  Question,
  SchemaTurn,
  Scope,
  StepOptions,
  TurnRequest,
  TurnResult,
  Wait,
} from '../scope.ts';
import type { TypedTool } from '../../tools/tool.ts';
import { schemaTurn } from './schema-turn.ts';
import { waitUntil } from './wait.ts';
import type { Agent } from '../../catalog/agent.ts';
import { type PlacedTurn, runTurn } from '../turn/turn.ts';
import type { AgentAnswer, AgentQuestion } from '../../gateways/gateway.ts';
import { turnAfter } from '../turn/turn-after.ts';
import { runGuardsIn } from '../record/recordable.ts';

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

  get caller(): Scope['caller'] {
    const { tenant = '', who = '' } = this.#execution.tree.started ?? {};
    return { tenant, who };
  }

  get conversation(): string {
    return this.#execution.tree.started?.conversation ?? this.run;
  }

  get definition(): Json | undefined {
    return this.#execution.definition;
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
    const stepped = this.#keys.use(kind, options.key, (key) =>
      composite(this.#execution, { ...options, kind, key, parent: this.id }, (step) =>
        work(new ScopeIn(this.#execution, step)),
      ),
    );
    return heard(stepped);
  }

  turn(agent: Called, request: TurnRequest): Promise<TurnResult>;
  turn<Schema extends z.ZodType>(
    agent: Called,
    text: string,
    options: SchemaTurn<Schema>,
  ): Promise<z.output<Schema>>;
  turn(called: Called, given: TurnRequest | string, options?: SchemaTurn<z.ZodType>): Promise<unknown> {
    const name = nameOf(called);
    if (typeof given !== 'string') return this.#turn(name, given);
    if (options) return heard(schemaTurn(this, name, { ...options, text: given }));
    return heard(Promise.reject(new RunError('malformed', 'A turn that is given a text is given a schema.')));
  }

  #turn(name: string, request: TurnRequest): Promise<TurnResult> {
    const agent = this.#execution.world.catalog.agents.find((candidate) => candidate.name === name);
    if (!agent) return heard(this.#without(name));
    const taken = this.#keys.use('turn', request.key, (key) =>
      runAskingTurn(this.#execution, agent, { ...request, key, parent: this.id }),
    );
    return heard(taken);
  }

  /** A run that was taken up again may have known it: it is kept for whoever brings the agent back. */
  #without(agent: string): Promise<never> {
    const { world, writer } = this.#execution;
    const gone = unknownAgent(agent, world.catalog.agents);
    if (writer.fence.epoch === 1) return Promise.reject(gone);
    return this.#execution.setAside(
      'AGENT_GONE',
      `${gone.message} Bring it back and resume the run, or stop it.`,
    );
  }

  call(tool: string, input: Json, options?: CallOptions): Promise<CallResult>;
  call<Input, Result>(
    tool: TypedTool<Input, Result>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): Promise<CallResult<Result>>;
  call(tool: Called, input: unknown, options: CallOptions = {}): Promise<CallResult<never>> {
    const called = this.#keys.use('call', options.key, (key) =>
      runCall(this.#execution, nameOf(tool), { ...options, key, parent: this.id, input: input as Json }),
    );
    return heard(called as Promise<CallResult<never>>);
  }

  ask(question: Question): Promise<Answer> {
    const asked = this.#keys.use('ask', question.key, (key) =>
      askPerson(this.#execution, { ...question, key, parent: this.id }),
    );
    return heard(asked);
  }

  decidedBy(deciders: Deciders): void {
    this.#execution.questions.require(this.id, deciders);
  }

  letPass(): void {
    const { definition, world } = this.#execution;
    this.#execution.guardBy(runGuardsIn(definition, world.secrets, true));
  }

  wait(wait: Wait): Promise<{ readonly until: number }> {
    const waited = this.#keys.use('wait', wait.key, (key) =>
      waitUntil(this.#execution, { ...wait, key, parent: this.id }),
    );
    return heard(waited);
  }

  look(which: Looked): Promise<Json> {
    const looked = this.#keys.use('definition', which.key, (key) =>
      lookUp(this.#execution, { ...which, key, parent: this.id }),
    );
    return heard(looked);
  }

  lookAhead(which: Omit<Looked, 'key'>): Promise<Json> {
    const looked = this.#keys.use('definition', keyAhead(which), (key) =>
      lookAhead(this.#execution, { ...which, key, parent: this.id }),
    );
    return heard(looked);
  }

  parallel<T extends Record<string, unknown>>(
    branches: Branches<T>,
    looks: Looks = {},
    fan: Fan = {},
  ): Promise<T> {
    return heard(this.#fanOut(branches, looks, fan));
  }

  async #fanOut<T extends Record<string, unknown>>(
    branches: Branches<T>,
    looks: Looks,
    { atOnce }: Fan,
  ): Promise<T> {
    for (const key of Object.keys(branches)) this.#keys.claim(key);
    const inside = (step: Step): Scope => new ScopeIn(this.#execution, step);
    return fanOut(this.#execution, this.id, { branches, looks, inside, ...present({ atOnce }) });
  }

  graph<T extends Record<string, unknown>>(
    nodes: Nodes<T>,
    heed?: (settled: Before) => void,
  ): Promise<Outcomes<T>> {
    const inside = (step: Step): Scope => new ScopeIn(this.#execution, step);
    for (const key of Object.keys(nodes)) this.#keys.claim(key);
    return heard(runGraph(this.#execution, this.id, { nodes, inside, heed }));
  }

  skip(key: string, reason: string): void {
    skipPlanned(this.#execution, this.id, { key: this.#keys.claim(key), reason });
  }

  plan(steps: readonly PlannedStep[]): void {
    planSteps(this.#execution, this.id, steps);
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

  history(): Promise<readonly Exchange[]> {
    return this.#execution.busy(this.#execution.conversation.history());
  }

  shared(names: readonly string[]): Promise<Readonly<Record<string, Json>>> {
    const execution = this.#execution;
    return execution.busy(execution.insist(() => execution.remembered.facts(names)));
  }

  message(): Omit<EventOf<'message.queued'>, 'type'> | undefined {
    this.#polls += 1;
    const { recorded, tree } = this.#execution;
    const poll = this.#polls;
    const known = recorded.taken(this.id, poll);
    const isPast =
      recorded.isReplaying() || this.#said < recorded.said(this.id) || poll < recorded.lastPoll(this.id);
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
    const { recorded, isAside } = this.#execution;
    if (!isOpen(this.#step) || isAside) return;
    const isRecorded = this.#said <= recorded.said(this.id);
    if (event.type === 'text.appended') this.#execution.say(event, isRecorded);
    else if (!isRecorded) this.#execution.emit(event);
  }
}

/**
 * Whatever fails is recorded at its step. A flow that looks at a failure late, or never, must not end the process and
 * every other run with it.
 */
function heard<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

function unknownAgent(name: string, known: readonly { readonly name: string }[]): RunError {
  const names = known.map((candidate) => candidate.name).join(', ') || 'none';
  return new RunError('unknown', `There is no agent «${name}»; known: ${names}.`);
}

function nameOf(called: Called): string {
  return typeof called === 'string' ? called : called.name;
}

/**
 * A turn of an agent that may ask people in the middle of its work: each question is a step of its own, and what they
 * decided goes back to the agent in another turn, until it has nothing more to ask.
 */
async function runAskingTurn(execution: Execution, agent: Agent, given: PlacedTurn): Promise<TurnResult> {
  let { key: turn } = given;
  let result = await runTurn(execution, agent, given);
  for (let round = 1; result.questions !== undefined; round += 1) {
    const answered: AgentAnswer[] = [];
    // One after the other: the order in which steps are opened is the order in which they are met again.
    for (const [i, question] of result.questions.entries()) {
      const key = `${given.key} asks ${round}.${i + 1}`;
      answered.push(await answerOf(execution, { question, key, parent: given.parent }));
    }
    turn = turnAfter(turn);
    result = await runTurn(execution, agent, { ...given, key: turn, answered });
  }
  return result;
}

interface Asked {
  readonly question: AgentQuestion;
  readonly key: string;
  readonly parent: number;
}

async function answerOf(execution: Execution, { question, ...place }: Asked): Promise<AgentAnswer> {
  const { id, token, ...asked } = question;
  const {
    decision,
    answer,
    arguments: edited,
    rationale,
  } = await askPerson(execution, {
    ...place,
    ...asked,
    allowed: question.arguments === undefined ? ['approve', 'reject'] : ['approve', 'reject', 'edit'],
  });
  if (decision === 'defer') throw new RangeError('what is put off is not decided');
  return { id, decision, ...present({ token, answer: edited ?? answer, rationale }) };
}
