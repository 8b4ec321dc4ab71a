import type { ReactNode } from 'react';
import { useRuns, useVitrine } from '../../../src/react/react.ts';
import { Hindered } from '../steps/hindered.tsx';
import { useAsked } from '../use-asked.ts';

/** Why nobody can go on with a run, where that is so: the newest are known, of others the server is asked. */
export function TraceHindered({
  run,
  conversation,
}: {
  readonly run: string;
  readonly conversation: string;
}): ReactNode {
  const client = useVitrine();
  const { runs } = useRuns();
  const { value } = useAsked(() => client.runs({ conversation }), [client, conversation]);
  const listed = runs.get(run) ?? value?.runs.find((one) => one.run === run);
  if (listed?.stranded === undefined && listed?.damaged === undefined) return undefined;
  return (
    <div className="trace-hindered">
      <Hindered stranded={listed.stranded} damaged={listed.damaged} />
    </div>
  );
}
