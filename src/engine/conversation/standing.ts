import { isModel } from './conversation.ts';
import type { Message } from '../../gateways/gateway.ts';
import type { Along, Exchange, StepId } from '../../run/events.ts';
import type { BlobRef } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import type { Step } from '../../run/tree.ts';
import { keepLarge } from '../record/recordable.ts';
import { goesAlong, type Going } from './goes-along.ts';
import type { BegunTurn } from './sent-traces.ts';

/** Where an agent stands in its conversation, as seen from one of its turns, and what would go out with that turn. */
export interface Standing extends Along {
  /** A name for all its other turns there: another one as soon as any was begun or has ended. A model has none. */
  readonly position?: string;
  /** Whether one of them is under way: what the next words refer to is not there yet. */
  readonly isBusy: boolean;
  /** What the words of the turn refer to. */
  readonly exchange: Exchange | undefined;
}

/** A turn that is to come. */
interface Coming extends Going {
  /** Undefined before it is opened. */
  readonly step: StepId | undefined;
}

export async function standingOf(execution: Execution, { step, ...going }: Coming): Promise<Standing> {
  const { agent } = going;
  if (isModel(agent))
    return { isBusy: false, exchange: undefined, ...(await goesAlong(execution, going, undefined)) };
  const begun = await execution.insist(() => execution.remembered.begun(agent.name));
  const others = begun.filter((turn) => turn.run !== execution.run || turn.step !== step);
  const exchange = await lastExchange(execution, { ...going, step });
  return {
    position: positionOf(execution, others),
    isBusy: others.some(({ closed }) => closed === undefined),
    exchange,
    ...(await goesAlong(execution, going, exchange)),
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
  { agent, messages, step }: Coming,
): Promise<Exchange | undefined> {
  const last =
    saidIn(messages) ??
    (await execution.insist(() => execution.remembered.last(agent.name, { run: execution.run, step })));
  if (!last) return undefined;
  return {
    asked: await kept(execution, last.asked),
    answered: await kept(execution, last.answered),
    outcome: last.step && outcomeOf(last.step),
  };
}

interface Said {
  readonly asked: string;
  readonly answered: string;
  readonly step?: Step;
}

function saidIn(messages: readonly Message[]): Said | undefined {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const question = messages.findLastIndex(({ role }, i) => role === 'user' && i < answer);
  if (answer < 0) return undefined;
  return { asked: messages[question]?.text ?? '', answered: messages[answer]?.text ?? '' };
}

/** How a turn ended, unless it came to its end as it should: what it did, nobody can be sure of. */
function outcomeOf({ status, failure, result }: Step): string | undefined {
  if (status === 'failed') return `It failed: ${failure?.message ?? 'nobody knows why.'}`;
  if (status === 'waiting') return 'Nobody knows yet whether it happened: a person is asked.';
  if (status !== 'completed') return status === 'running' ? 'It is not over yet.' : `It was ${status}.`;
  const { outcome, note } = (result ?? {}) as { readonly outcome?: unknown; readonly note?: unknown };
  return outcome === 'unknown' ? `Its outcome was not recorded: ${String(note)}` : undefined;
}

async function kept(execution: Execution, text: string): Promise<string | BlobRef> {
  const value = await keepLarge(execution, text);
  return typeof value === 'string' ? value : (value as BlobRef);
}
