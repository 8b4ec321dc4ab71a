import { RunError, type Client } from '../../../src/client/client.ts';
import type { Known } from '../../../src/graph/place.ts';
import { useVitrine } from '../../../src/react/react.ts';
import type { Json } from '../../../src/run/values.ts';
import { useAsked, type Asked } from '../use-asked.ts';

/** A workflow as it is to be worked on: its draft, or what is published where there is none. */
export interface Loaded {
  readonly name: string;
  readonly definition: Json;
  /** Of the draft; 0 where there is none. */
  readonly revision: number;
  /** The newest that is published; 0 where nothing is. */
  readonly version: number;
  readonly isReadOnly: boolean;
  readonly known: Nameable;
}

/** What a graph may name, as the server lists it. */
export type Nameable = Required<Omit<Known, 'limits' | 'settings'>>;

export function useWorkflow(name: string): Asked<Loaded> {
  const client = useVitrine();
  return useAsked(() => load(client, name), [client, name]);
}

async function load(client: Client, name: string): Promise<Loaded> {
  const { workflows, known } = await allWorkflows(client);
  const listed = workflows.find((one) => one.name === name);
  if (!listed) throw new RunError('unknown', `There is no workflow ${name}.`);
  const draft = listed.draft ? await client.workflows.draft(name) : undefined;
  const version = listed.published?.version ?? 0;
  return {
    name,
    definition: draft?.graph ?? (await newest(client, name, version)),
    revision: draft?.revision ?? 0,
    version,
    isReadOnly: listed.readOnly,
    known: {
      agents: new Set(known.agents.map((agent) => agent.name)),
      tools: new Set(known.tools.map((tool) => tool.name)),
      workflows: new Set(workflows.map((workflow) => workflow.name)),
      connections: new Set(known.connections),
    },
  };
}

/** What is published; where all of it is archived, the last that was. */
async function newest(client: Client, name: string, published: number): Promise<Json> {
  const last = async (): Promise<number> =>
    (await client.workflows.versions(name)).versions.at(-1)?.version ?? 0;
  return (await client.workflows.version(name, published === 0 ? await last() : published)).graph;
}

/** All of them, page by page. */
export async function allWorkflows(
  client: Client,
): Promise<Awaited<ReturnType<Client['workflows']['list']>>> {
  const first = await client.workflows.list({});
  const workflows = [...first.workflows];
  for (let after = first.next; after !== null;) {
    const page = await client.workflows.list({ after });
    workflows.push(...page.workflows);
    after = page.next;
  }
  return { ...first, workflows };
}
