import type { ReactNode } from 'react';
import { GraphCanvas } from '../canvas/graph-canvas.tsx';
import { GraphList } from '../canvas/graph-list.tsx';
import type { DraftGraph } from '../canvas/model/draft-graph.ts';
import { Bones } from '../shell/states.tsx';
import { canvasEdits, type Desk } from './desk.ts';
import type { View } from './looking.ts';
import { YamlField } from './yaml-field.tsx';

interface MiddleProps {
  readonly desk: Desk;
  readonly name: string;
  readonly view: View;
  readonly isReadOnly: boolean;
}

/** The graph: drawn, written, or in words. */
export function Middle({ desk, name, view, isReadOnly }: MiddleProps): ReactNode {
  const { edited, placed, chosen, choose, editing } = desk;
  if (view === 'yaml') {
    const write = (graph: DraftGraph): void => editing.edit(() => graph, 'yaml');
    return <YamlField graph={edited.draft} kept={desk.kept} write={isReadOnly ? undefined : write} />;
  }
  if (view === 'list')
    return <GraphList part={edited.draft} chosen={chosen} choose={choose} questions={noQuestions} />;
  if (!placed) return <Bones />;
  const edits = isReadOnly ? undefined : canvasEdits(desk);
  return <GraphCanvas {...{ placed, chosen, choose, edits }} name={edited.draft.title ?? name} />;
}

const noQuestions: readonly never[] = [];
