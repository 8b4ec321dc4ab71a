import type { Message } from '../../gateways/gateway.ts';
import type { Exchange, StepId } from '../../run/events.ts';
import type { BlobRef } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepLarge } from '../record/large.ts';
import type { BegunTurn } from './remembered.ts';

/** Where an agent stands in its conversation, as seen from one of its turns. */
export interface Standing {
  /** A name for all its other turns there: another one as soon as any was begun or has ended. */
  readonly position: string;
  /** Whether one of them is under way: what the next words refer to is not there yet. */
  readonly isBusy: boolean;
  /** What the words of the turn refer to. */
  readonly exchange: Exchange | undefined;
}

/** A turn that is to come. */
interface Coming {
  readonly agent: string;
  /** Undefined before it is opened. */
  readonly step: StepId | undefined;
  readonly messages: readonly Message[];
}

export async function standingOf(execution: Execution, { agent, step, messages }: Coming): Promise<Standing> {
  const begun = await execution.insist(() => execution.remembered.begun(agent));
  const others = begun.filter((turn) => turn.run !== execution.run || turn.step !== step);
  return {
    position: positionOf(execution, others),
    isBusy: others.some(({ closed }) => closed === undefined),
    exchange: await lastExchange(execution, agent, messages),
  };
}

/** A set, not the last of them: which came last depends on clocks, and those of workers differ. */
export function positionOf({ world }: Execution, turns: readonly BegunTurn[]): string {
  const names = turns.map(({ run, step, attempt, closed }) => [run, step, attempt, closed ?? null]);
  return world
    .hash(
      names
        .map((name) => JSON.stringify(name))
        .toSorted()
        .join('\n'),
    )
    .slice(0, 32);
}

/** A flow that sends answers along tells itself what was said; else the agent has it from its last turn. */
async function lastExchange(
  execution: Execution,
  agent: string,
  messages: readonly Message[],
): Promise<Exchange | undefined> {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const question = messages.findLastIndex(({ role }, i) => role === 'user' && i < answer);
  const [last] =
    answer < 0
      ? await execution.insist(() => execution.remembered.exchanges(agent, 1))
      : [{ asked: messages[question]?.text ?? '', answered: messages[answer]?.text ?? '' }];
  if (!last) return undefined;
  return { asked: await kept(execution, last.asked), answered: await kept(execution, last.answered) };
}

async function kept(execution: Execution, text: string): Promise<string | BlobRef> {
  const value = await keepLarge(execution, text);
  return typeof value === 'string' ? value : (value as BlobRef);
}
