import { useVitrine } from '../../../src/react/react.ts';
import type { AppDraft, AppParts } from '../../../src/wire/native/apps.ts';
import { useAsked, type Asked } from '../use-asked.ts';

/** An application as it is to be worked on, and what it can be made of. */
export interface LoadedApp {
  readonly draft: AppDraft;
  readonly parts: AppParts;
}

export function useApp(name: string): Asked<LoadedApp> {
  const { applications } = useVitrine();
  return useAsked(async () => {
    const [draft, parts] = await Promise.all([applications.draft(name), applications.parts()]);
    return { draft, parts };
  }, [applications, name]);
}
