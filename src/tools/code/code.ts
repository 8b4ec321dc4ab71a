import { extname } from 'node:path';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { type Script, ScriptOutcome } from './message.ts';
import { functionTool } from '../function.ts';
import { runKillable } from '../killable/killable.ts';
import type { Tool } from '../tool.ts';

export interface CodeToolOptions {
  readonly limits?: Partial<CodeLimits>;
  /** A `process` is one wall more than a `thread`, and 0.1 s slower. */
  readonly isolation?: 'thread' | 'process';
  /** What the clock inside says when a call begins; it then stands still. */
  readonly now?: () => number;
}

export interface CodeLimits {
  readonly seconds: number;
  /** What the code may hold, from 16 to 2048. */
  readonly megabytes: number;
  /** Characters of the result, and of the log. */
  readonly output: number;
}

const usual: CodeLimits = { seconds: 5, megabytes: 32, output: 65_536 };
const module = new URL(`./code.worker${extname(import.meta.url)}`, import.meta.url);

/** `run_javascript`: code in a sandbox without files, network, environment or timers, ended from outside. */
export function codeTool({ limits, isolation = 'thread', now = Date.now }: CodeToolOptions = {}): Tool {
  const { seconds, megabytes, output } = { ...usual, ...limits };
  if (!(megabytes >= 16 && megabytes <= 2048)) {
    throw new RunError(
      'malformed',
      `\`megabytes\` of run_javascript must be from 16 to 2048, not ${megabytes}.`,
    );
  }
  const place = { module, export: 'evaluate', isolation, memory: 64, env: {} };
  return functionTool({
    name: 'run_javascript',
    description:
      'Runs JavaScript (ES2023) and gives the value of its last expression, or of a top-level `return`, as JSON, and ' +
      'what it wrote with console.log. There are no files, no network, no modules and no timers; `await` works.',
    effect: 'pure',
    input: z.strictObject({
      code: z.string().min(1).max(200_000).describe('The JavaScript to run.'),
      input: z.unknown().default(null).describe('Data for the code, which sees it as the global `input`.'),
    }),
    async run({ code, input }, context) {
      const script: Script = { code, input, now: now(), pages: Math.floor(megabytes) * 16, output };
      const sentence = `\`code\` ran longer than ${seconds} s and was ended; make it do less.`;
      const limit = { milliseconds: seconds * 1000, sentence };
      const outcome = await runKillable(place, { name: 'run_javascript', input: script, limit }, context);
      return resultOf(ScriptOutcome.parse(outcome), megabytes);
    },
  });
}

function resultOf(outcome: ScriptOutcome, megabytes: number): Json {
  switch (outcome.kind) {
    case 'memory':
      throw new RunError(
        'too-large',
        `\`code\` needed more than its ${megabytes} MB of memory; make it hold less.`,
      );
    case 'threw': {
      const where = outcome.line === undefined ? '' : ` at line ${outcome.line}`;
      const what = outcome.message.replaceAll(/\s+/g, ' ').slice(0, 500).toWellFormed();
      throw new RunError('malformed', `\`code\` failed${where}: ${what}.`);
    }
    case 'value': {
      const { value, logged, cut } = outcome;
      return {
        value,
        ...(logged !== '' && { logged }),
        ...(cut.length > 0 && { note: `Note that ${cut.join('; ')}.` }),
      };
    }
  }
}
