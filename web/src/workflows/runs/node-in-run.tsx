import { ListTree, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSource } from '../../../../src/react/react.ts';
import { isBlobRef, type Json } from '../../../../src/run/values.ts';
import { exactLines, visible } from '../../../../src/run/visible.ts';
import { stateSource, useCanvas } from '../../canvas/canvas-context.ts';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import { nameOf } from '../../canvas/model/node-name.ts';
import { nodeAt, type NodePath } from '../../canvas/model/node-path.ts';
import { NodeIcon } from '../../canvas/node-icon.tsx';
import { NodeStatus, NodeTime } from '../../canvas/node-parts.tsx';
import { addressOf, Link } from '../../routing.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';

interface NodeInRunProps {
  readonly graph: DraftGraph;
  readonly path: NodePath;
  readonly run: string;
  readonly close: () => void;
}

/** What became of the node that is chosen. */
export function NodeInRun({ graph, path, run, close }: NodeInRunProps): ReactNode {
  const t = useTexts();
  const w = useWorkflowTexts();
  const state = useSource(stateSource(useCanvas(), path));
  const node = nodeAt(graph, path);
  if (!node) return undefined;
  const step = state?.step;
  return (
    <aside className="inspector-side" aria-label={w.live.chosen} data-inspects={path}>
      <header>
        <NodeIcon node={node} />
        <h2 className="cut">{visible(nameOf(node))}</h2>
        <span className="quiet">{w.types[node.type]}</span>
        <span className="grow" />
        <button type="button" className="button ghost small square" aria-label={t.data.close} onClick={close}>
          <X className="icon small" aria-hidden />
        </button>
      </header>
      <div className="node-field flow-line">
        <NodeStatus state={state} />
        <NodeTime state={state} />
      </div>
      {!step && <p className="hint node-field">{w.live.nothingYet}</p>}
      {step?.failure && <p className="problem node-field">{visible(step.failure.message)}</p>}
      {step?.result !== undefined && (
        <div className="node-field">
          <span className="lb">{w.live.output}</span>
          <pre className="node-output" tabIndex={0}>
            {outputText(step.result)}
          </pre>
        </div>
      )}
      {step && (
        <Link to={addressOf.run(run, step.id)} className="button small node-link">
          <ListTree className="icon small" aria-hidden />
          {w.live.step}
        </Link>
      )}
    </aside>
  );
}

function outputText(result: Json): string {
  if (isBlobRef(result)) return visible(result.preview ?? '');
  const output =
    typeof result === 'object' && result !== null && 'output' in result ? result['output'] : result;
  return exactLines(output ?? null).join('\n');
}
