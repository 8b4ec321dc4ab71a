import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { drawable } from '../canvas/model/draft.ts';
import { formatIn } from '../format.ts';
import { useLanguage } from '../texts/texts.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import type { DraftKeeper, Saving } from './draft-keeper.ts';

/** Somebody else has saved another draft: who, when, and what to do. Nothing is lost until one of them is taken. */
export function Conflict({
  saving: { theirs },
  keeper,
}: {
  readonly saving: Saving;
  readonly keeper: DraftKeeper;
}): ReactNode {
  const w = useWorkflowTexts();
  const format = formatIn(useLanguage());
  if (!theirs) return undefined;
  const graph = drawable(theirs.graph);
  return (
    <div className="conflict" role="alert" data-conflict>
      <TriangleAlert className="icon small" aria-hidden />
      {w.saving.conflict(visible(theirs.by), format.dateTime(theirs.at))}
      <span className="grow" />
      {graph && (
        <button type="button" className="button small" onClick={() => keeper.takeTheirs(graph)}>
          {w.saving.theirs}
        </button>
      )}
      <button type="button" className="button small" onClick={() => void keeper.keepMine()}>
        {w.saving.mine}
      </button>
    </div>
  );
}
