import { useCallback, useEffect, useState } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import type { AppDraft, AppParts } from '../../../src/wire/native/apps.ts';

/** An application as it is to be worked on, and what it can be made of. */
export interface LoadedApp {
  readonly draft: AppDraft;
  readonly parts: AppParts;
}

export type Loading =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly failure: Failure | undefined }
  | { readonly is: 'ready'; readonly loaded: LoadedApp };

export function useApp(name: string): readonly [Loading, () => void] {
  const client = useVitrine();
  const [loading, setLoading] = useState<Loading>({ is: 'loading' });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const { applications } = client;
    Promise.all([applications.draft(name), applications.parts()])
      .then(([draft, parts]) => isCurrent && setLoading({ is: 'ready', loaded: { draft, parts } }))
      .catch((thrown: unknown) => {
        const failure = thrown instanceof RunError ? thrown.failure : undefined;
        if (isCurrent) setLoading({ is: 'failed', failure });
      });
    return () => {
      isCurrent = false;
    };
  }, [client, name, asked]);
  return [loading, useCallback(() => setAsked((before) => before + 1), [])];
}
