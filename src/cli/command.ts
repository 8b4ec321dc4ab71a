import { type Asked, askedFrom } from '../server/viewers/channels.ts';
import type { Terminal } from './terminal/terminal.ts';
import { filled } from '../run/tree.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  /** May be given more than once. */
  readonly many?: boolean;
  /** What stands for the value in the help. */
  readonly value?: string;
}

/** What was typed after the name of a command, checked against its options. */
export interface Given {
  readonly words: readonly string[];
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  flag(option: string): boolean;
}

/** One command of the terminal. `run` gives the exit code. */
export interface CliCommand {
  readonly name: string;
  /** What follows the name, as the help shows it. */
  readonly usage: string;
  readonly summary: string;
  /** More to say in the command's own help. */
  readonly details?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** How many words it takes, without its options. */
  readonly words: readonly [least: number, most: number];
  run(given: Given, terminal: Terminal): Promise<number>;
}

/** What a script can tell from the exit code. */
export const exit = { completed: 0, failed: 1, badInput: 2, waiting: 3, stopped: 130 } as const;

export const dataOption = {
  data: { type: 'string', value: '<folder>', about: 'where the runs are kept; ./.vitrine unless said' },
} as const satisfies CliCommand['options'];

export const whyOption = {
  why: { type: 'string', value: '<reason>', about: 'for the record' },
} as const satisfies CliCommand['options'];

/** For those who own a folder: what others keep there through a server. */
export const tenantOption = {
  tenant: {
    type: 'string',
    value: '<name>',
    about: 'whose runs, in a folder that is yours; local unless said',
  },
} as const satisfies CliCommand['options'];

/** For commands that may have to work on a run themselves. */
export const homeOptions = {
  ...dataOption,
  config: {
    type: 'string',
    value: '<file>',
    about: 'the configuration; ./vitrine.config.ts, .js or .json unless said',
  },
} as const satisfies CliCommand['options'];

/** For commands that are as good at a server. */
const serverOption = {
  server: {
    type: 'string',
    value: '<url>',
    about:
      'the server that has the runs; VITRINE_SERVER unless said; its key is in VITRINE_KEY, or in ./.vitrine',
  },
} as const satisfies CliCommand['options'];

export const anywhereOptions = { ...homeOptions, ...serverOption } as const satisfies CliCommand['options'];
export const lookOptions = { ...dataOption, ...serverOption } as const satisfies CliCommand['options'];

/** What to show of a run; what is left out is as its app prefers. */
export const showingOptions = {
  stages: {
    type: 'string',
    value: 'nested|flat|prefix|off',
    about: 'what to show of the inner stages of other agents',
  },
  names: { type: 'string', value: '<title>', many: true, about: 'the only stages to show; "*" for all' },
  depth: { type: 'string', value: '<levels>', about: 'how many levels of steps to show; "*" for all' },
} as const satisfies CliCommand['options'];

export function askedIn(given: Given): Asked {
  const names = filled(given.texts('names'));
  return askedFrom({ stages: given.text('stages'), names, depth: given.text('depth') });
}

export const jsonlOption = {
  jsonl: { type: 'boolean', about: 'as JSON, one entry a line' },
} as const satisfies CliCommand['options'];

export const jsonOption = {
  json: { type: 'boolean', about: 'print JSON, one value a line, and nothing else' },
} as const satisfies CliCommand['options'];
