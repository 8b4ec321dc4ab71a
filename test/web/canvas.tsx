// A graph drawn by the app's own canvas, with a run fed by a test: which nodes and edges are drawn when something happens.
import '../../web/src/style/app.css';
import { createRoot } from 'react-dom/client';
import { vitrineClient } from '../../src/client/client.ts';
import { VitrineProvider } from '../../src/react/react.ts';
import { CanvasContext } from '../../web/src/canvas/canvas-context.ts';
import { GraphCanvas } from '../../web/src/canvas/graph-canvas.tsx';
import { LiveStates } from '../../web/src/canvas/live-states.ts';
import { MarkedPaths } from '../../web/src/canvas/marked-paths.ts';
import type { DraftGraph } from '../../web/src/canvas/model/draft-graph.ts';
import { layoutOf } from '../../web/src/canvas/model/layout.ts';
import { run } from './fed-run.ts';

const states = new LiveStates(run);
states.follow();
const view = {
  isEditable: false,
  live: states,
  hasProblem: new MarkedPaths().of,
  openInPlace: undefined,
};
const place = document.createElement('div');
place.style.cssText = 'display: flex; height: 900px; width: 1400px';
document.body.append(place);
const root = createRoot(place);
const nothing = (): void => {};

Object.assign(globalThis, {
  /** So many nodes in rows, each leading to the next. */
  draw: (many: number) => {
    const nodes = Array.from({ length: many }, (_, i) => ({ id: `n${i}`, type: 'template' as const }));
    const edges = nodes.slice(1).map((_, i) => ({ from: `n${i}`, to: `n${i + 1}` }));
    const layout = Object.fromEntries(
      nodes.map(({ id }, i) => [id, [(i % 20) * 240, Math.floor(i / 20) * 110] as const]),
    );
    const graph: DraftGraph = { name: 'many', nodes, edges, layout };
    const placed = { graph, layout: layoutOf(graph, () => ({})) };
    root.render(
      <VitrineProvider client={vitrineClient({ url: location.origin })}>
        <CanvasContext value={view}>
          <GraphCanvas placed={placed} name="Many" chosen={undefined} choose={nothing} />
        </CanvasContext>
      </VitrineProvider>,
    );
  },
});
