import type { Agent } from '../../catalog/agent.ts';
import type { Turn } from '../../gateways/gateway.ts';
import { aborted } from '../aborted.ts';
import type { Execution } from '../execution.ts';
import type { Recalled } from '../leaf/leaf.ts';

/** How long an agent gets to look into its history, in milliseconds; a person can tell as well. */
const patience = 30_000;
/** What a dead worker had sent may still be on its way, in milliseconds. */
const travel = 1_000;
/** Characters of an answer that is taken from a history. */
const longestAnswer = 1_000_000;

const unknown: Recalled = { arrived: undefined };

/** What an agent's own history says of a turn. One that fails to say is one that cannot tell. */
export async function recallTurn(execution: Execution, { gateway }: Agent, turn: Turn): Promise<Recalled> {
  if (!gateway.arrived) return unknown;
  const recalled = await patiently(execution, async (signal): Promise<Recalled> => {
    let arrived = await gateway.arrived?.(turn, signal);
    if (arrived === false) {
      await execution.world.clock.sleep(travel, signal);
      arrived = await gateway.arrived?.(turn, signal);
    }
    const answer = arrived === true ? await gateway.answered?.(turn, signal) : undefined;
    if (answer === undefined || answer.length > longestAnswer) return { arrived };
    return { arrived, answer: execution.guarding.cleanAll(answer) };
  });
  return recalled ?? unknown;
}

/** Whether the conversation of a turn is lost where its agent is; undefined when it cannot tell. */
export async function hasForgotten(
  execution: Execution,
  { gateway }: Agent,
  turn: Turn,
): Promise<boolean | undefined> {
  const remembers = await patiently(execution, async (signal) => gateway.remembers?.(turn, signal));
  return remembers === undefined ? undefined : !remembers;
}

async function patiently<T>(
  execution: Execution,
  look: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const enough = new AbortController();
  const signal = AbortSignal.any([execution.signal, enough.signal]);
  const tooLate = execution.world.clock.sleep(patience, signal).then(() => undefined);
  const looked = look(signal);
  try {
    return await Promise.race([looked, tooLate]);
  } catch {
    return undefined;
  } finally {
    enough.abort(aborted);
    looked.catch(() => undefined);
  }
}
