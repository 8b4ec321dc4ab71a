import { lazy, Suspense, type ReactNode } from 'react';
import { visible } from '../../src/run/visible.ts';

const load = (): Promise<typeof import('./written.tsx')> => import('./written.tsx');
const Written = lazy(() => load().then((made) => ({ default: made.Written })));
// What reads Markdown is half of the app: it comes when the rest is there, and soon enough for the first answer.
setTimeout(() => void load(), 1_000);

/** A text with its marks; plain until what reads them is there. */
export function Markdown(props: { readonly text: string; readonly isWriting?: boolean }): ReactNode {
  return (
    <Suspense fallback={<p className="markdown whitespace-pre-wrap">{visible(props.text)}</p>}>
      <Written {...props} />
    </Suspense>
  );
}
