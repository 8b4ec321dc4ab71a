import { yaml } from '@codemirror/lang-yaml';
import { lineNumbers } from '@codemirror/view';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { CodeField } from '../../code-field.tsx';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import { readYaml, yamlOf, type ReadYaml } from '../../canvas/model/yaml-text.ts';
import type { Edited, Editing } from '../../editing/editing.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';

/** The text as it was last written, as long as the workflow is open. */
export interface KeptText {
  text?: string;
}

const language = [lineNumbers(), yaml()];

/** The graph as text. What is written there is what is drawn, as soon as it can be read; until then it stays, and says why not. */
export function YamlField({
  edited: { draft: graph, unread },
  kept,
  editing,
}: {
  readonly edited: Edited<DraftGraph>;
  /** What was written here before, which says what its values do not: comments. */
  readonly kept: KeptText;
  /** Where it may be changed. */
  readonly editing: Editing<DraftGraph> | undefined;
}): ReactNode {
  const w = useWorkflowTexts();
  const [text, setText] = useState(() => unread ?? yamlOf(graph, kept.text));
  const read = useMemo(
    (): ReadYaml => (unread === undefined ? { graph } : readYaml(unread)),
    [graph, unread],
  );
  const own = useRef(unread === undefined ? graph : undefined);
  useEffect(() => {
    // What comes from elsewhere, such as taking something back, is shown; what was written here stays as it was written.
    if (unread !== undefined || own.current === graph) return;
    own.current = graph;
    setText(yamlOf(graph, kept.text));
  }, [graph, unread, kept]);
  const hear = (written: string): void => {
    if (!editing || written === text) return;
    setText(written);
    const found = readYaml(written);
    if ('graph' in found) {
      own.current = found.graph;
      kept.text = written;
      editing.edit(() => found.graph, 'yaml');
    } else own.current = undefined;
    editing.setUnread('graph' in found ? undefined : written);
  };
  return (
    <div className="yaml-view">
      {'problem' in read && (
        <p className="problem" role="alert" data-yaml-problem>
          {read.line !== undefined && <b>{w.problems.yaml(read.line)}: </b>}
          {read.problem === 'nodes' ? w.notDrawable : read.problem}
          <button type="button" className="button small" onClick={() => editing?.setUnread(undefined)}>
            {w.unread.drop}
          </button>
        </p>
      )}
      <CodeField label="YAML" written={text} write={hear} isWrong={'problem' in read} language={language} />
    </div>
  );
}
