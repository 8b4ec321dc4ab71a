import { Redo2, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { useEditingTexts } from '../texts/editing-texts.ts';
import type { Saving } from './draft-keeper.ts';
import type { Editing } from './editing.ts';

/** How what is edited is kept, in words. `version` is the newest that is published. */
export function SavedWords({
  saving,
  version,
}: {
  readonly saving: Saving;
  readonly version: number;
}): ReactNode {
  return (
    <span className="quiet cut wide-only" role="status" data-saved={saving.revision}>
      {useSavedWords(saving, version)}
    </span>
  );
}

function useSavedWords({ is, revision, failure }: Saving, version: number): string {
  const e = useEditingTexts();
  if (is === 'saving') return e.saving;
  if (is === 'failed')
    return `${failure?.retryable === true ? e.failed : e.refused} ${visible(failure?.message ?? '')}`;
  if (is !== 'saved') return e.unsaved;
  return revision === 0 ? e.none(version) : e.saved(revision);
}

/** Takes back what was changed, and does it again. */
export function EditTurns<T>({ editing }: { readonly editing: Editing<T> }): ReactNode {
  const e = useEditingTexts();
  const { canUndo, canRedo } = useSource(editing);
  const turns = [
    { name: e.undo, icon: Undo2, can: canUndo, act: () => editing.undo(), is: 'undo' },
    { name: e.redo, icon: Redo2, can: canRedo, act: () => editing.redo(), is: 'redo' },
  ];
  return turns.map(({ name, icon: Icon, can, act, is }) => (
    <button
      key={is}
      type="button"
      className="button ghost small square"
      aria-label={name}
      disabled={!can}
      onClick={act}
      data-turn-edit={is}
    >
      <Icon className="icon" aria-hidden />
    </button>
  ));
}
