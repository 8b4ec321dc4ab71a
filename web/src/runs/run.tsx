import type { ReactNode } from 'react';
import { StepTree, useRun, useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';

/** One run, step by step. */
export function Run({ run: name }: { readonly run: string; readonly step?: number | undefined }): ReactNode {
  const run = useRun(name);
  const { tree, connection } = useSource(run);
  useTitle(visible(tree.title));
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1 className="cut">{visible(tree.title)}</h1>
        <span className="grow" />
        <ConnectionPill run={run} />
      </div>
      <div className="p-6 overflow-y-auto">
        {connection.is === 'refused' && <Failed failure={connection.failure} />}
        <StepTree run={run} />
      </div>
    </main>
  );
}
