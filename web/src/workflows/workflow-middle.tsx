import type { ReactNode } from 'react';
import { GraphCanvas } from '../canvas/graph-canvas.tsx';
import { GraphList } from '../canvas/graph-list.tsx';
import { Bones } from '../shell/states.tsx';
import { canvasEdits, type Desk } from './desk.ts';
import type { View } from './looking.ts';
import { YamlField } from './fields/yaml-field.tsx';

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
    return <YamlField edited={edited} kept={desk.kept} editing={isReadOnly ? undefined : editing} />;
  }
  if (view === 'list')
    return <GraphList part={edited.draft} chosen={chosen} choose={choose} questions={noQuestions} />;
  if (!placed) return <Bones />;
  const edits = isReadOnly ? undefined : canvasEdits(desk);
  return <GraphCanvas {...{ placed, chosen, choose, edits }} name={edited.draft.title ?? name} />;
}

const noQuestions: readonly never[] = [];
