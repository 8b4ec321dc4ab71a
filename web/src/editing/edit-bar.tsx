import { Redo2, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { useEditingTexts } from '../texts/editing-texts.ts';
import type { Saving } from './draft-keeper.ts';
import type { Editing } from './editing.ts';

/** How what is edited is kept, in words. */
export function SavedWords({
  saving,
  unread,
  unchanged,
}: {
  readonly saving: Saving;
  /** What is said where something was written that cannot be read. */
  readonly unread?: string | undefined;
  /** What is said where there is no draft. */
  readonly unchanged: string;
}): ReactNode {
  const words = useSavedWords(saving, unchanged);
  return (
    <span
      className={unread === undefined ? 'quiet cut wide-only' : 'problem cut wide-only'}
      role="status"
      data-saved={saving.revision}
    >
      {unread ?? words}
    </span>
  );
}

function useSavedWords({ is, revision, failure }: Saving, unchanged: string): string {
  const e = useEditingTexts();
  if (is === 'saving') return e.saving;
  if (is === 'failed')
    return `${failure?.retryable === true ? e.failed : e.refused} ${visible(failure?.message ?? '')}`;
  if (is !== 'saved') return e.unsaved;
  return revision === 0 ? unchanged : e.saved(revision);
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
