import type { Json } from './json.ts';
import { plainName, type OfferedTool, type Situation } from './situation.ts';
import type { Result } from './tool-result.ts';

export interface Call {
  readonly tool: string;
  readonly arguments: Json;
}

/** What the model says next: words, calls, or words before calls. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
  /** Why, for whoever looks at its thoughts. */
  readonly why: string;
}

/** One thing the model knows how to do. The first rule that has a reply wins. */
export interface Rule {
  readonly name: string;
  /** Something one can ask, shown to those who asked what no rule knows; only where it would work. */
  example?(situation: Situation): string | undefined;
  reply(situation: Situation): Reply | undefined;
}

export function say(text: string, why: string): Reply {
  return { text, calls: [], why };
}

export function call(tool: OfferedTool, given: Json, why: string): Reply {
  return { text: '', calls: [{ tool: tool.fullName, arguments: given }], why };
}

/** What a tool gave for the present question, newest first. */
export function resultsOf({ results }: Situation, ...names: readonly string[]): Result[] {
  return results.filter(({ tool }) => names.includes(tool)).toReversed();
}

/** The same for the questions before, newest first. */
export function earlierResultsOf({ earlier }: Situation, ...names: readonly string[]): Result[] {
  return earlier
    .flatMap(({ results }) => results)
    .filter(({ tool }) => names.includes(tool))
    .toReversed();
}

export function offers({ tools }: Situation, name: string): OfferedTool | undefined {
  return tools.get(plainName(name));
}

/** The question itself, without what earlier agents found and was sent along. */
export function asked({ question }: Pick<Situation, 'question'>): string {
  return question.split(/\n\nResult of .+:\n/)[0] ?? '';
}
