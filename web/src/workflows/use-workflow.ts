import { useCallback, useEffect, useState } from 'react';
import { RunError, type Client, type Failure } from '../../../src/client/client.ts';
import type { Known } from '../../../src/graph/place.ts';
import { useVitrine } from '../../../src/react/react.ts';
import type { Json } from '../../../src/run/values.ts';

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
export type Nameable = Required<Known>;

export type Loading =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly failure: Failure | undefined }
  | { readonly is: 'ready'; readonly loaded: Loaded };

export function useWorkflow(name: string): readonly [Loading, () => void] {
  const client = useVitrine();
  const [loading, setLoading] = useState<Loading>({ is: 'loading' });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    load(client, name)
      .then((loaded) => isCurrent && setLoading({ is: 'ready', loaded }))
      .catch((thrown: unknown) => {
        const failure = thrown instanceof RunError ? thrown.failure : undefined;
        if (isCurrent) setLoading({ is: 'failed', failure });
      });
    return () => {
      isCurrent = false;
    };
  }, [client, name, asked]);
  return [loading, useCallback(() => setAsked((before) => before + 1), [])];
}

async function load(client: Client, name: string): Promise<Loaded> {
  const { workflows, known } = await allWorkflows(client);
  const listed = workflows.find((one) => one.name === name);
  if (!listed) throw new RunError('unknown', `There is no workflow ${name}.`);
  const draft = listed.draft ? await client.workflows.draft(name) : undefined;
  const version = listed.published?.version ?? 0;
  return {
    name,
    definition: draft?.graph ?? (await client.workflows.version(name, version)).graph,
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
