import type { Scope } from '../../engine/scope.ts';
import type { EventOf } from '../../run/events.ts';
import type { SettledCall } from './calls.ts';
import { twoStageExchange, unifiedExchange, type Exchange } from './exchange.ts';
import type { ConverseRules, ConverseSettings, ToolOffers } from './settings.ts';
import { clause } from './words.ts';

/** So often a conversation may ask for what has an outcome, or is not permitted, before its tools are taken away. */
const patience = 3;

/** Why a conversation has to come to its end: a code for programs and a sentence for people. */
export interface Why {
  readonly code: 'duplicates' | 'refusals' | 'cycles' | 'budget' | 'empty' | 'failed' | 'person' | 'refused';
  readonly sentence: string;
}

/** Where a conversation is. All of it follows from what is recorded, so a recovery arrives at the same. */
export class Course {
  readonly scope: Scope;
  readonly settings: ConverseSettings;
  readonly rules: ConverseRules;
  readonly exchange: Exchange;
  /** What was called and came back with something. */
  readonly results: SettledCall[] = [];
  /** The phase the scope is in. */
  phase: EventOf<'phase.entered'>['phase'] | undefined;
  batch = 0;
  /** Calls the model asked for so far. */
  asked = 0;
  readonly #actionCalls = new Map<string, number>();
  /** Cycles used up, and the one the phase belongs to: duplicates begin a batch and no cycle. */
  #cycles = 0;
  #cycle = 1;
  #duplicates = 0;
  /** Batches of calls of which none was permitted. */
  #refusals = 0;
  #hasReserve = true;

  readonly #registered: readonly string[];

  constructor(
    scope: Scope,
    settings: ConverseSettings,
    { rules, tools }: { readonly rules: ConverseRules; readonly tools: readonly string[] },
  ) {
    this.scope = scope;
    this.settings = settings;
    this.rules = rules;
    this.#registered = tools;
    const { protocol } = rules;
    this.exchange =
      protocol === 'two-stage' ? twoStageExchange(settings.system) : unifiedExchange(settings.system);
  }

  /** Tools there are, and those there were when it began: a call of one that has gone since is shown as what it was. */
  get known(): ReadonlySet<string> {
    return new Set([...this.#registered, ...this.settings.tools.map(({ name }) => name)]);
  }

  /** Whether this conversation writes the answer of the run, for which one turn is kept back; a part of it does not. */
  get answers(): boolean {
    return this.scope.id === 0;
  }

  /** Whether the next turn may use what is kept back for the answer: one turn may, and what comes after is paid like any. */
  takeReserve(): boolean {
    const mayUse = this.answers && this.#hasReserve;
    this.#hasReserve = false;
    return mayUse;
  }

  /** A tool phase begins a batch; an action phase belongs to the batch before it. */
  enter(phase: EventOf<'phase.entered'>['phase'], reason: string): void {
    if (phase === 'tool_phase') {
      this.batch += 1;
      this.#cycle = this.#cycles + 1;
    }
    this.phase = phase;
    this.scope.phase({ phase, batch: this.batch, cycle: this.#cycle, reason });
  }

  /** How often each tool may be called in the next turn. */
  offered(): ReadonlyMap<string, number> {
    const { actionTools, protocol } = this.rules;
    const isAction = protocol === 'two-stage' && this.phase === 'action_phase';
    const { known } = this;
    const all = new Map([...known].map((name) => [name, Number.POSITIVE_INFINITY]));
    if (!isAction || actionTools === 'non-duplicate') return all;
    if (actionTools === 'none') return new Map();
    const left = Object.entries(actionTools.allow).map(([name, times]): [string, number] => [
      name,
      times - (this.#actionCalls.get(name) ?? 0),
    ]);
    return new Map(left.filter(([name, times]) => times > 0 && known.has(name)));
  }

  offers(): ToolOffers {
    const offered = this.offered();
    return this.settings.tools.filter(({ name }) => offered.has(name));
  }

  /** What calls that an action phase asked for have used up of what it permits. */
  countActionCalls(settled: readonly SettledCall[]): void {
    for (const { tool } of settled.filter((call) => isResult(call) || call.outcome === 'skipped'))
      this.#actionCalls.set(tool, (this.#actionCalls.get(tool) ?? 0) + 1);
  }

  /** What a batch has used up: a duplicate and a call that is not permitted cost no cycle, everything else does. */
  count(settled: readonly SettledCall[]): void {
    this.#duplicates += settled.filter(({ outcome }) => outcome === 'reused').length;
    if (settled.every(({ outcome }) => outcome === 'refused')) this.#refusals += 1;
    if (!settled.every(({ outcome }) => free.has(outcome))) this.#cycles += 1;
    this.results.push(...settled.filter(isResult));
  }

  /** Whether the tools must be taken away now. */
  end(settled: readonly SettledCall[]): Why | undefined {
    const refusal = (code: string): SettledCall | undefined =>
      settled.find(({ outcome, failure }) => outcome === 'skipped' && failure?.code === code);
    const budget = refusal('over-budget');
    if (budget) {
      const message = clause(budget.failure?.message ?? 'The budget is used up');
      const sentence = `${message}, so the model has to answer without tools.`;
      return { code: 'budget', sentence };
    }
    if (this.#duplicates >= patience || refusal('disabled')) {
      const sentence = `The model asked ${patience} times for calls that had an outcome already, so its tools were taken away.`;
      return { code: 'duplicates', sentence };
    }
    if (this.#refusals >= patience) {
      const sentence = `The model asked ${patience} times for calls that are not permitted now, so its tools were taken away.`;
      return { code: 'refusals', sentence };
    }
    const { maxCycles } = this.rules;
    if (this.#cycles < maxCycles) return undefined;
    return {
      code: 'cycles',
      sentence: `All ${maxCycles} tool phases are used up, so the model has to answer without tools.`,
    };
  }

  /** The person asks for more: what was used up for the answer before does not count. */
  renew(): void {
    this.#cycles = 0;
    this.#refusals = 0;
    this.#hasReserve = true;
    this.phase = undefined;
  }
}

/** What was not run, since it need not or may not. */
const free: ReadonlySet<SettledCall['outcome']> = new Set(['reused', 'left', 'refused']);

/** Something came back, good or bad. */
export function isResult({ outcome }: SettledCall): boolean {
  return outcome === 'completed' || outcome === 'recalled' || outcome === 'failed';
}
