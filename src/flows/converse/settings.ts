import type { TurnRequest } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';

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
