import { useEffect } from 'react';
import type { Editing } from './editing.ts';

/** Takes back and does again by key. Where somebody writes, the field has its own. */
export function useEditKeys(editing: Editing<unknown> | undefined): void {
  useEffect(() => {
    if (!editing) return undefined;
    const hear = (event: KeyboardEvent): void => {
      const [from] = event.composedPath();
      const isWriting =
        from instanceof HTMLElement &&
        (from.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(from.tagName));
      if (isWriting || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      if (key === 'z' && !event.shiftKey) editing.undo();
      else if (key === 'y' || (key === 'z' && event.shiftKey)) editing.redo();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [editing]);
}
