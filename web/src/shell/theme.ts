import { choice } from '../setting.ts';

/** Dark and light follow the system unless somebody says otherwise. */
export const theme = choice('theme', ['system', 'light', 'dark']);

export function followTheme(): void {
  const show = (): void => {
    const chosen = theme.get();
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
  };
  theme.subscribe(show);
  show();
}
