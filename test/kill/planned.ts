// A coordinator with a plan that was drawn from a seed. Its agents tell the ledger when they are asked.
import type { Agent } from '../../src/catalog/agent.ts';
import type { Catalog } from '../../src/engine/world.ts';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { Move } from '../../src/gateways/scripted/script.ts';
import { drawPlan, planSettings, planText, type DrawnTask } from '../random-plan.ts';
import { agentOf } from '../world.ts';
import { tellLedger, type Ledger } from './world.ts';

const planned = coordinate(planSettings, 'planned');

export function plannedCatalog(seed: number, ledger: Ledger): Catalog {
  const plan = drawPlan(seed);
  return {
    flows: [planned],
    agents: [
      agentOf('router', () => [{ type: 'say', text: planText(plan) }]),
      agentOf('writer', ({ messages }) => [{ type: 'say', text: `Read: ${messages.at(-1)?.text}` }]),
      ...plan.map((task) => workerOf(task, ledger)),
    ],
    tools: [],
  };
}

function workerOf({ agent: name, nature }: DrawnTask, ledger: Ledger): Agent {
  const said: Move[] = ['I ', 'did ', 'it.'].map((text) => ({ type: 'say', text }));
  const moves: Record<DrawnTask['nature'], Move[]> = {
    good: said,
    slow: [{ type: 'wait', ms: 80 }, ...said],
    silent: [],
    fails: [{ type: 'fail', code: 'malformed', message: 'It broke.' }],
  };
  const inner = scriptedGateway(() => moves[nature]);
  return {
    name,
    description: name,
    effect: 'idempotent',
    gateway: {
      async *takeTurn(turn, signal) {
        await tellLedger(ledger, { effect: 'idempotent', key: turn.idempotencyKey, what: name });
        yield* inner.takeTurn(turn, signal);
      },
    },
  };
}
