import type { RequestedCall, TurnResult } from '../../engine/scope.ts';
import type { Failure } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { isDeeper } from '../../wire/sse.ts';

/** A call a model asked for, as far as it can be understood. */
export interface ReadCall {
  readonly id: string;
  readonly tool: string;
  /** What the model wrote. */
  readonly text: string;
  readonly input: Json;
  /** Whether there is such a tool. */
  readonly isKnown: boolean;
  /** Why it cannot be run, in words a model can act on. */
  readonly problem?: string;
}

/** How a call ended, whether it was run or not. Every call a model asked for gets one. */
export interface SettledCall {
  readonly id: string;
  readonly tool: string;
  readonly outcome:
    | 'completed'
    | 'recalled'
    | 'reused'
    | 'failed'
    | 'skipped'
    | 'misfit'
    | 'refused'
    | 'left';
  readonly result?: Json;
  readonly failure?: Failure;
}

export interface SortedCalls {
  readonly run: readonly ReadCall[];
  /** Cannot be understood: the model gets it back. */
  readonly misfits: readonly ReadCall[];
  /** Not permitted now. */
  readonly refused: readonly ReadCall[];
  /** More than may run in one phase. */
  readonly left: readonly ReadCall[];
}

interface Permission {
  readonly known: ReadonlySet<string>;
  /** How often each tool may be called now; tools that are not here may not. */
  readonly offered: ReadonlyMap<string, number>;
  readonly most: number;
}

const longest = 262_144;
/** Checking and signing arguments is recursive: deeper ones would end in a stack overflow. */
const deepest = 64;

export function sortCalls({ calls }: TurnResult, { known, offered, most }: Permission): SortedCalls {
  const sorted = {
    run: [] as ReadCall[],
    misfits: [] as ReadCall[],
    refused: [] as ReadCall[],
    left: [] as ReadCall[],
  };
  const used = new Map<string, number>();
  for (const call of calls.map((requested) => readCall(requested, known))) {
    const uses = used.get(call.tool) ?? 0;
    // Whatever follows the last one that may run: where it was cut off, it is not the model's fault that it is incomplete.
    if (call.problem !== undefined && call.isKnown && sorted.run.length >= most) sorted.left.push(call);
    else if (call.problem !== undefined) sorted.misfits.push(call);
    else if (uses >= (offered.get(call.tool) ?? 0)) sorted.refused.push(call);
    else if (sorted.run.length >= most) sorted.left.push(call);
    else {
      sorted.run.push(call);
      used.set(call.tool, uses + 1);
    }
  }
  return sorted;
}

function readCall({ id, tool, arguments: text }: RequestedCall, known: ReadonlySet<string>): ReadCall {
  const read = { id, tool, text, input: text, isKnown: known.has(tool) };
  if (!read.isKnown) {
    const names = [...known].join(', ') || 'none';
    return { ...read, problem: `There is no tool «${tool.slice(0, 80)}»; there are: ${names}.` };
  }
  if (text.length > longest) {
    const problem = `The arguments of ${tool} have ${text.length} characters; ${longest} are allowed.`;
    return { ...read, problem };
  }
  if (isDeeper(text, deepest))
    return { ...read, problem: `The arguments of ${tool} are nested deeper than ${deepest} levels.` };
  try {
    // Models leave the arguments out when there are none.
    const input = text.trim() === '' ? {} : (JSON.parse(text) as Json);
    return { ...read, input };
  } catch {
    return { ...read, problem: `The arguments of ${tool} are not JSON; write them as one JSON object.` };
  }
}
