import { useMemo, useRef, useState, type ReactNode, type RefObject, type UIEvent } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';
import {
  layOut,
  rowHeight,
  shortName,
  type GraphLayout,
  type PlacedNode,
  type Point,
} from './graph-layout.ts';
import type { GraphData } from './shapes.ts';

/** Of a graph of more nodes than this, only what is in view is drawn. */
const drawnAtOnce = 300;
const beyond = 600;
/** The most edges that are drawn at once. */
const mostEdges = 2_000;

/** A graph that reads from left to right. A node that is chosen shows what it is joined to, and what it says of itself. */
export function Graph({ graph, label }: { readonly graph: GraphData; readonly label: string }): ReactNode {
  const t = useTexts();
  const layout = useMemo(() => layOut(graph), [graph]);
  const [chosen, choose] = useState<string>();
  const { box, isInView, scrolled } = useView(layout.nodes.length > drawnAtOnce);
  // Of an edge that only passes by, neither end can be read.
  const edges = layout.edges.filter(({ ends }) => ends.some(isInView));
  return (
    <div className="graph">
      <div
        className="scroll"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={`${label}, ${t.data.nodes(graph.nodes.length)}`}
        onScroll={scrolled}
      >
        <svg
          width={layout.width}
          height={layout.height}
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          role="group"
        >
          <Edges edges={edges.slice(0, mostEdges)} chosen={chosen} />
          {layout.columns.map(({ x, title }) => (
            <text key={x} x={x + 4} y={15} className="graph-head">
              {visible(title)}
            </text>
          ))}
          {layout.nodes.filter(isInView).map((placed) => (
            <Node
              key={placed.node.id}
              placed={placed}
              isChosen={placed.node.id === chosen}
              choose={() => choose(placed.node.id === chosen ? undefined : placed.node.id)}
            />
          ))}
        </svg>
      </div>
      {edges.length > mostEdges && (
        <p className="quiet graph-note">{t.data.someEdges(mostEdges, edges.length)}</p>
      )}
      <Details graph={graph} chosen={chosen} />
    </div>
  );
}

interface View {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly isInView: (point: Point) => boolean;
  readonly scrolled: (event: UIEvent<HTMLDivElement>) => void;
}

/** What is in view, or nearly; of a small graph, all. */
function useView(isLarge: boolean): View {
  const [view, setView] = useState({ left: 0, top: 0 });
  const box = useRef<HTMLDivElement>(null);
  return {
    box,
    isInView: ({ x, y }) =>
      !isLarge ||
      (Math.abs(x - view.left - beyond) < (box.current?.clientWidth ?? beyond) + beyond &&
        Math.abs(y - view.top - beyond / 2) < (box.current?.clientHeight ?? beyond) + beyond),
    scrolled({ currentTarget: { scrollLeft, scrollTop } }) {
      if (isLarge) setView({ left: nearly(scrollLeft), top: nearly(scrollTop) });
    },
  };
}

/** Drawn anew only after so many pixels. */
function nearly(scrolled: number): number {
  return Math.round(scrolled / 200) * 200;
}

function Edges({
  edges,
  chosen,
}: {
  readonly edges: GraphLayout['edges'];
  readonly chosen: string | undefined;
}): ReactNode {
  return edges.map(({ source, target, label, path, isBad }, i) => {
    const isJoined = chosen !== undefined && (source === chosen || target === chosen);
    return (
      <path key={i} d={path} className={`graph-edge${isBad ? ' bad' : ''}${isJoined ? ' joined' : ''}`}>
        <title>{visible(`${source} ${label} ${target}`)}</title>
      </path>
    );
  });
}

function Node({
  placed: { node, x, y, width },
  isChosen,
  choose,
}: {
  readonly placed: PlacedNode;
  readonly isChosen: boolean;
  readonly choose: () => void;
}): ReactNode {
  const name = visible(node.id);
  const look = `graph-node${node.isBad ? ' bad' : ''}${isChosen ? ' chosen' : ''}`;
  return (
    <g
      className={look}
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      aria-label={`${name}${node.isBad ? ` (${statusWord(node.properties)})` : ''}`}
      onClick={choose}
      onKeyDown={(event) =>
        (event.key === 'Enter' || event.key === ' ') && (event.preventDefault(), choose())
      }
    >
      <rect x={x} y={y - rowHeight / 2 + 2} width={width} height={rowHeight - 4} rx={5} />
      {node.isBad ? (
        <path d={`M${x + 7} ${y - 3}l6 6m0-6l-6 6`} className="graph-mark" />
      ) : (
        <circle cx={x + 10} cy={y} r={3} className="graph-mark" />
      )}
      <text x={x + 19} y={y + 4}>
        {shortName(name)}
      </text>
      <title>{name}</title>
    </g>
  );
}

function statusWord(properties: GraphData['nodes'][number]['properties']): string {
  const state = properties['status'] ?? properties['state'] ?? '';
  return visible(typeof state === 'object' ? JSON.stringify(state) : String(state));
}

function Details({
  graph,
  chosen,
}: {
  readonly graph: GraphData;
  readonly chosen: string | undefined;
}): ReactNode {
  const node = graph.nodes.find(({ id }) => id === chosen);
  if (!node) return undefined;
  const joined = graph.edges.filter(({ source, target }) => source === chosen || target === chosen);
  return (
    <dl className="args graph-details" role="status">
      <dt>{visible(node.kind)}</dt>
      <dd>{visible(node.id)}</dd>
      {Object.entries(node.properties).map(([name, value]) => (
        <div className="contents" key={name}>
          <dt>{visible(name)}</dt>
          <dd>{visible(typeof value === 'object' ? JSON.stringify(value) : String(value))}</dd>
        </div>
      ))}
      {joined.slice(0, 12).map(({ source, target, label }, i) => (
        <div className="contents" key={i}>
          <dt>{visible(label)}</dt>
          <dd>{visible(source === chosen ? `→ ${target}` : `← ${source}`)}</dd>
        </div>
      ))}
    </dl>
  );
}
