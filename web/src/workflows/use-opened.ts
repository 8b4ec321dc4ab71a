import { useCallback, useMemo, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import type { LiveStates } from '../canvas/live-states.ts';
import { drawable } from '../canvas/model/draft.ts';
import type { DraftGraph, DraftNode, DraftPart } from '../canvas/model/draft-graph.ts';
import { nodeAt, nodePath, partPath, type NodePath, type PartPath } from '../canvas/model/node-path.ts';

/** A graph with the workflows inside it drawn in place, those that somebody has opened. */
export function useOpened(
  graph: DraftGraph,
  states: LiveStates,
): {
  readonly graph: DraftGraph;
  readonly openInPlace: (path: NodePath) => void;
} {
  const client = useVitrine();
  const [opened, setOpened] = useState<ReadonlyMap<NodePath, DraftPart>>(new Map());
  const shown = useMemo(() => withOpened(graph, '', opened) as DraftGraph, [graph, opened]);
  const openInPlace = useCallback(
    (path: NodePath) => {
      if (opened.has(path)) {
        setOpened(new Map([...opened].filter(([one]) => one !== path && !one.startsWith(`${path}.`))));
        return;
      }
      void graphInside(client, nodeAt(shown, path), states.states.get(path)?.definition).then(
        (part) => part && setOpened((before) => new Map([...before, [path, part]])),
        () => undefined,
      );
    },
    [client, opened, shown, states],
  );
  return { graph: shown, openInPlace };
}

/** As the run recorded it; where it has not come to it yet, as it would be found now. */
async function graphInside(
  client: Client,
  node: DraftNode | undefined,
  recorded: string | undefined,
): Promise<DraftPart | undefined> {
  if (recorded !== undefined)
    return drawable(JSON.parse(new TextDecoder().decode(await client.download(recorded))));
  const { workflow = '', version } = (node ?? {}) as {
    readonly workflow?: string;
    readonly version?: number;
  };
  const { versions } = await client.workflows.versions(workflow);
  const newest = versions.findLast(({ state }) => state === 'published')?.version ?? 0;
  return drawable((await client.workflows.version(workflow, version ?? newest)).graph);
}

function withOpened(part: DraftPart, within: PartPath, opened: ReadonlyMap<NodePath, DraftPart>): DraftPart {
  if (opened.size === 0) return part;
  const nodes = part.nodes.map((node): DraftNode => {
    const path = nodePath(within, node.id);
    const inside = opened.get(path);
    if (inside) return { ...node, body: withOpened(inside, partPath(path, 'body'), opened) };
    const body = (field: 'body' | 'fallback'): object =>
      field in node && node.type !== 'http'
        ? { [field]: withOpened(node[field] as DraftPart, partPath(path, field), opened) }
        : {};
    return { ...node, ...body('body'), ...body('fallback') };
  });
  return { ...part, nodes };
}
