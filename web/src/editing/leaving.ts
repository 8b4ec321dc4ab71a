import type { DraftKeeper, Kept } from './draft-keeper.ts';

/** As long as something is not saved, the page asks before it is closed; what can be saved is saved as soon as one looks away. */
export function watchClosing<T, K extends Kept>(keeper: DraftKeeper<T, K>, page: EventTarget): () => void {
  const save = (): void => void (keeper.isAllSaved || keeper.flush());
  const ask = (event: Event): void => {
    if (keeper.isAllSaved) return;
    event.preventDefault();
    save();
  };
  const looksAway = ['pagehide', 'visibilitychange'];
  page.addEventListener('beforeunload', ask);
  for (const event of looksAway) page.addEventListener(event, save);
  return () => {
    page.removeEventListener('beforeunload', ask);
    for (const event of looksAway) page.removeEventListener(event, save);
  };
}
