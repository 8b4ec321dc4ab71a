// Graphs that are killed: those of the demo, in the demo's own world, and drawn ones, whose effects go to the ledger.
import type { Agent } from '../../src/catalog/agent.ts';
import type { Catalog } from '../../src/engine/world.ts';
import type { RunRequest } from '../../src/front/front.ts';
import { sectionedGateway } from '../../src/gateways/conversation/sectioned.ts';
import { dialGateway } from '../../src/gateways/dial/dial.ts';
import { openAiChatGateway } from '../../src/gateways/chat/openai-chat.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import type { Store } from '../../src/stores/store.ts';
import { deskTools } from '../../demo/network/desk-tools.ts';
import { decideInTime, type Decide } from '../workflow/decided.ts';
import { demoGraph, demoPlays, type DemoPlayName } from '../workflow/demo-plays.ts';
import { brisk, drawGraph, leafGraph } from '../workflow/random-graph.ts';
import { drawnCatalog, drawnFlow, drawnInput } from '../workflow/random-world.ts';
import { runOf, workflowFlow } from '../workflow/world.ts';
import { tellLedger, type Ledger } from './world.ts';

export type GraphWork =
  | { readonly flow: 'workflow'; readonly drawn: number; readonly ledger: Ledger }
  | { readonly flow: 'workflow'; readonly demo: DemoPlayName; readonly places: DemoPlaces };

/** Where the operations centre and the model of the demo are. */
export interface DemoPlaces {
  readonly centre: string;
  readonly model: string;
}

export function graphCatalog(work: GraphWork): Catalog {
  if ('drawn' in work)
    return drawnCatalog((key, what) => tellLedger(work.ledger, { effect: 'idempotent', key, what }));
  const { centre, model } = work.places;
  const reading = (name: string): Agent =>
    agent(name, sectionedGateway(dialGateway({ baseUrl: centre, deployment: name, key: 'k' }), name));
  return {
    flows: [workflowFlow],
    agents: [
      reading('TelemetryAgent'),
      reading('GraphExplorerAgent'),
      agent('demo-model', openAiChatGateway({ baseUrl: `${model}/v1`, model: 'vitrine-scripted' })),
    ],
    tools: deskTools(async () => ({ url: centre })),
  };
}

function agent(name: string, gateway: Gateway): Agent {
  return { name, description: name, gateway, effect: 'pure' };
}

/** The run of it, once what it needs is published. */
export async function graphRun(work: GraphWork, store: Store): Promise<RunRequest> {
  if ('drawn' in work) {
    await runOf(store, leafGraph);
    const wanted = await runOf(store, drawGraph(work.drawn, brisk));
    return { ...wanted, flow: drawnFlow, input: { text: '', data: drawnInput(work.drawn) } };
  }
  const { workflow, data } = demoPlays[work.demo];
  return { ...(await runOf(store, demoGraph(workflow))), input: { text: '', data } };
}

export function graphDecide(work: GraphWork): Decide {
  return 'drawn' in work ? decideInTime : demoPlays[work.demo].decide;
}
