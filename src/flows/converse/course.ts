import type { Scope, TurnRequest } from '../../engine/scope.ts';
import type { EventOf } from '../../run/events.ts';
import type { SettledCall } from './calls.ts';
import { twoStageExchange, unifiedExchange, type Transcript } from '../exchange.ts';
import { clause } from './words.ts';
import { RunError } from '../../run/failure.ts';

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
  readonly exchange: Transcript;
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

export type ToolOffers = NonNullable<TurnRequest['tools']>;

/** Which calls may follow once results are there: none, some tools so many times each, or any that is not a duplicate. */
export type ActionTools = 'none' | 'non-duplicate' | { readonly allow: Readonly<Record<string, number>> };

/** How a conversation goes. Each may be set for an app and for one request, which wins; over both stand the switches. */
export interface ConverseRules {
  readonly protocol: 'two-stage' | 'unified';
  /** `strict`: one call after the other, and the model is cut off at the last one allowed. `parallel`: all at once. */
  readonly preset: 'strict' | 'parallel';
  readonly maxToolsPerPhase: number;
  readonly actionTools: ActionTools;
  readonly maxCycles: number;
  /** After each tool phase, wait until somebody resumes. */
  readonly pauseAfterTool: boolean;
}

export interface ConverseSettings {
  /** What the flow is called in the catalog. */
  readonly name?: string;
  readonly agent: string;
  readonly system: string;
  /** Looked at before each turn: they may come and go. */
  readonly tools: ToolOffers;
  readonly rules?: Partial<ConverseRules>;
  readonly switches?: Switches;
}

/** What whoever operates the server has set, for every app and every request. */
export interface Switches {
  /** Off: every conversation is unified, whatever anybody asks for. On: also those of apps that say otherwise are not. */
  readonly twoStage?: boolean;
  /** The most calls that may run in one phase. */
  readonly maxTools?: number;
}

type Strings = Readonly<Record<string, string | undefined>>;

export interface RulesNow {
  readonly rules: ConverseRules;
  /** What was asked for and is not done, since the operator decided otherwise. In sentences. */
  readonly overruled: readonly string[];
}

/** The rules as they hold for one request: those of the app, under what the run's labels say, under the switches. */
export function rulesFor({ rules: own = {}, switches = {} }: ConverseSettings, labels: Strings): RulesNow {
  const { twoStage, maxTools } = switches;
  const preset = twoStage === true ? { ...own, protocol: 'two-stage' as const } : own;
  const asked = { ...preset, ...labelRules(labels) };
  const isOff = twoStage === false;
  const rules = completeRules({
    ...asked,
    protocol: isOff ? 'unified' : asked.protocol,
    maxToolsPerPhase: asked.maxToolsPerPhase ?? maxTools,
  });
  const overruled: string[] = [];
  if (isOff && asked.protocol === 'two-stage')
    overruled.push('Two-stage is switched off here (TWO_STAGE_ENABLED), so this conversation is unified.');
  if (maxTools === undefined || rules.maxToolsPerPhase <= maxTools) return { rules, overruled };
  overruled.push(
    `${rules.maxToolsPerPhase} calls in one phase were asked for; at most ${maxTools} are run (TWO_STAGE_MAX_TOOLS).`,
  );
  return { rules: { ...rules, maxToolsPerPhase: maxTools }, overruled };
}

/** Fails where an allowlist names what is no tool of the app. */
export function expectAllowed(actionTools: ActionTools, tools: readonly string[]): void {
  if (typeof actionTools !== 'object') return;
  const unknown = Object.keys(actionTools.allow).find((tool) => !tools.includes(tool));
  if (unknown === undefined) return;
  const known = tools.join(', ') || 'none';
  throw new RunError(
    'malformed',
    `actionTools names «${unknown}», which is no tool here; there are: ${known}.`,
  );
}

/** Every rule, those nobody set included. */
export function completeRules(rules: Partial<ConverseRules> = {}): ConverseRules {
  const { protocol = 'two-stage', preset = 'strict' } = rules;
  return {
    protocol,
    preset,
    maxToolsPerPhase: rules.maxToolsPerPhase ?? (protocol === 'two-stage' && preset === 'strict' ? 1 : 8),
    actionTools: rules.actionTools ?? 'non-duplicate',
    maxCycles: rules.maxCycles ?? 3,
    pauseAfterTool: rules.pauseAfterTool ?? false,
  };
}

/** One place a setting is read from, named so that whoever set it finds it. */
interface Setting {
  readonly name: string;
  readonly value: string;
}

/** As the environment says. */
export function switchesIn(environment: Strings): Switches {
  const enabled = given(environment, 'TWO_STAGE_ENABLED');
  const maxTools = given(environment, 'TWO_STAGE_MAX_TOOLS');
  return {
    twoStage: enabled && yesOrNo(enabled),
    maxTools: maxTools && numberUpTo(64, maxTools),
  };
}

const readers: { readonly [Name in keyof ConverseRules]: (setting: Setting) => ConverseRules[Name] } = {
  protocol: (setting) => oneOf(['two-stage', 'unified'], setting),
  preset: (setting) => oneOf(['strict', 'parallel'], setting),
  maxToolsPerPhase: (setting) => numberUpTo(64, setting),
  actionTools: readActionTools,
  maxCycles: (setting) => numberUpTo(100, setting),
  pauseAfterTool: yesOrNo,
};

function labelRules(labels: Strings): Partial<ConverseRules> {
  const rules: Record<string, unknown> = {};
  for (const name of Object.keys(labels).filter((label) => label.startsWith('converse.'))) {
    const rule = name.slice('converse.'.length);
    if (!isRule(rule)) {
      const known = Object.keys(readers).map((word) => `converse.${word}`);
      throw new RunError('malformed', `There is no setting «${name}»; there are ${known.join(', ')}.`);
    }
    rules[rule] = readers[rule]({ name, value: labels[name] ?? '' });
  }
  return rules;
}

function isRule(word: string): word is keyof ConverseRules {
  return Object.hasOwn(readers, word);
}

/** Nothing is «set» by an empty variable: shells and compose files leave them behind. */
function given(values: Strings, name: string): Setting | undefined {
  const value = values[name]?.trim();
  return value === undefined || value === '' ? undefined : { name, value };
}

function oneOf<Word extends string>(words: readonly Word[], setting: Setting): Word {
  const word = words.find((candidate) => candidate === setting.value);
  if (word === undefined) throw wrong(setting, words.join(' or '));
  return word;
}

function yesOrNo(setting: Setting): boolean {
  if (['true', '1'].includes(setting.value)) return true;
  if (['false', '0'].includes(setting.value)) return false;
  throw wrong(setting, 'true or false');
}

function numberUpTo(max: number, setting: Setting): number {
  const number = /^\d{1,4}$/.test(setting.value) ? Number(setting.value) : 0;
  if (number < 1 || number > max) throw wrong(setting, `a whole number from 1 to ${max}`);
  return number;
}

/** `none`, `non-duplicate`, or tools with how often each may be called: `read_file:2,list_files:1`. */
function readActionTools(setting: Setting): ActionTools {
  if (setting.value === 'none' || setting.value === 'non-duplicate') return setting.value;
  const allow: Record<string, number> = {};
  for (const part of setting.value.split(',')) {
    const [, tool, times] = /^\s*([\w.-]+)\s*:\s*([1-9]\d{0,2})\s*$/.exec(part) ?? [];
    if (tool === undefined || tool === '__proto__')
      throw wrong(setting, '«none», «non-duplicate», or a list such as «read_file:2,list_files:1»');
    allow[tool] = Number(times);
  }
  return { allow };
}

function wrong({ name, value }: Setting, expected: string): RunError {
  return new RunError('malformed', `${name} is «${value.slice(0, 80)}»; set it to ${expected}.`);
}
