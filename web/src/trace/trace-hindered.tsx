import { useContext, type ReactNode } from 'react';
import type { RunStore } from '../../../src/client/client.ts';
import { useRuns, useVitrine } from '../../../src/react/react.ts';
import { beginningOf } from '../chat/summary.ts';
import { Hindered } from '../steps/hindered.tsx';
import { useAsked } from '../use-asked.ts';
import { RecordedContext } from './recorded.ts';

/** Why nobody can go on with a run, where that is so. What has ended, or is a file, needs nobody. */
export function TraceHindered({
  run,
  isOver,
}: {
  readonly run: RunStore;
  readonly isOver: boolean;
}): ReactNode {
  const isRecorded = useContext(RecordedContext) !== undefined;
  const conversation = beginningOf(run.entries())?.conversation;
  if (isOver || isRecorded || conversation === undefined) return undefined;
  return <Listed run={run.run} conversation={conversation} />;
}

/** The newest are known, of others the server is asked. */
function Listed({ run, conversation }: { readonly run: string; readonly conversation: string }): ReactNode {
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
