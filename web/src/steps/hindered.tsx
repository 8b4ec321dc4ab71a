import type { ReactNode } from 'react';
import type { ListedRun } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';

/** Why nobody can go on with it. What is recorded of a run does not know: the server's list does. */
export function Hindered({ stranded, damaged }: Pick<ListedRun, 'stranded' | 'damaged'>): ReactNode {
  const t = useTexts();
  const why = [stranded, damaged === undefined ? undefined : t.run.damaged(damaged)];
  return why.map(
    (one) =>
      one !== undefined && (
        <p key={one} className="fail run-failure" role="status" data-hindered>
          {visible(one)}
        </p>
      ),
  );
}
