import type { DraftKeeper, Kept, Saving } from './draft-keeper.ts';

/** Whether what is edited is lost where one goes to another screen: all else is saved by itself on the way. */
export function isStuck({ is }: Saving): boolean {
  return is === 'conflict' || is === 'failed';
}

/** As long as something is not saved, the page asks before it is closed; what can be saved is saved as soon as one looks away. */
export function watchClosing<T, K extends Kept>(keeper: DraftKeeper<T, K>, page: EventTarget): () => void {
  const save = (): void => void (keeper.getSnapshot().is === 'saved' || keeper.flush());
  const ask = (event: Event): void => {
    if (keeper.getSnapshot().is === 'saved') return;
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
