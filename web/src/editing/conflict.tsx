import './editing.css';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { useEditingTexts } from '../texts/editing-texts.ts';
import { useLanguage } from '../texts/texts.ts';
import type { DraftKeeper, Kept, Saving } from './draft-keeper.ts';

/** Somebody else has saved another draft: who, when, and what to do. Nothing is lost until one of them is taken. */
export function Conflict<T, K extends Kept>({
  saving: { theirs },
  keeper,
  draftIn,
}: {
  readonly saving: Saving<K>;
  readonly keeper: DraftKeeper<T, K>;
  /** What theirs says, where it can be edited here. */
  readonly draftIn: (theirs: K) => T | undefined;
}): ReactNode {
  const e = useEditingTexts();
  const format = formatIn(useLanguage());
  if (!theirs) return undefined;
  const draft = draftIn(theirs);
  return (
    <div className="conflict" role="alert" data-conflict>
      <TriangleAlert className="icon small" aria-hidden />
      {e.conflict(visible(theirs.by), format.dateTime(theirs.at))}
      <span className="grow" />
      {draft !== undefined && (
        <button type="button" className="button small" onClick={() => keeper.takeTheirs(draft)}>
          {e.theirs}
        </button>
      )}
      <button type="button" className="button small" onClick={() => void keeper.keepMine()}>
        {e.mine}
      </button>
    </div>
  );
}
