import { yaml } from '@codemirror/lang-yaml';
import { lineNumbers } from '@codemirror/view';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { CodeField } from '../code-field.tsx';
import type { DraftGraph } from '../canvas/model/draft-graph.ts';
import { readYaml, yamlOf, type ReadYaml } from '../canvas/model/yaml-text.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

/** The text as it was last written, as long as the workflow is open. */
export interface KeptText {
  text?: string;
}

const language = [lineNumbers(), yaml()];

/** The graph as text. What is written there is what is drawn, as soon as it can be read; until then it says why not. */
export function YamlField({
  graph,
  kept,
  write,
}: {
  readonly graph: DraftGraph;
  /** What was written here before, which says what its values do not: comments. */
  readonly kept: KeptText;
  readonly write: ((graph: DraftGraph) => void) | undefined;
}): ReactNode {
  const w = useWorkflowTexts();
  const [text, setText] = useState(() => yamlOf(graph, kept.text));
  const [read, setRead] = useState<ReadYaml>({ graph });
  const own = useRef(graph);
  useEffect(() => {
    // What comes from elsewhere, such as taking something back, is shown; what was written here stays as it was written.
    if (own.current === graph) return;
    own.current = graph;
    setText(yamlOf(graph, kept.text));
    setRead({ graph });
  }, [graph, kept]);
  const hear = (written: string): void => {
    if (!write || written === text) return;
    setText(written);
    const found = readYaml(written);
    setRead(found);
    if (!('graph' in found)) return;
    own.current = found.graph;
    kept.text = written;
    write(found.graph);
  };
  return (
    <div className="yaml-view">
      {'problem' in read && (
        <p className="problem" role="alert" data-yaml-problem>
          {read.line !== undefined && <b>{w.problems.yaml(read.line)}: </b>}
          {read.problem === 'nodes' ? w.notDrawable : read.problem}
        </p>
      )}
      <CodeField label="YAML" written={text} write={hear} isWrong={'problem' in read} language={language} />
    </div>
  );
}
