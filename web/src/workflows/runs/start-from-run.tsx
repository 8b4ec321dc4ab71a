import { Play, StepForward } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../../src/client/client.ts';
import { useVitrine } from '../../../../src/react/react.ts';
import { visible } from '../../../../src/run/visible.ts';
import { addressOf, navigate } from '../../routing.tsx';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';

/** Goes on where a run failed, in a new run that has what was done. */
export function GoOn({ run }: { readonly run: string }): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const { begin, failure } = useBeginning(() => client.workflows.goOn(run));
  return (
    <>
      <button type="button" className="button small" title={w.live.goOnHint} onClick={begin} data-go-on>
        <StepForward className="icon small" aria-hidden />
        {w.live.goOn}
      </button>
      <Why failure={failure} />
    </>
  );
}

/** Runs one node alone, with what the last run gave it. */
export function TryNode({ name, node, save }: TriedFrom & { readonly node: string }): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const { begin, failure } = useBeginning(async () => {
    if (!(await save())) throw new RunError('rejected', w.run.unsaved);
    return client.workflows.tryNode(name, node);
  });
  return (
    <div className="node-field try-node">
      <button type="button" className="button small" onClick={begin} data-try-node>
        <Play className="icon small" aria-hidden />
        {w.edit.tryAlone}
      </button>
      <p className="hint">{w.edit.tryHint}</p>
      <Why failure={failure} />
    </div>
  );
}

/** Of which workflow a node is tried, and what has to be saved before. */
export interface TriedFrom {
  readonly name: string;
  /** Saves what is drawn; whether it is saved. */
  readonly save: () => Promise<boolean>;
}

/** Begins a run and goes to it, or says why not. */
function useBeginning(start: () => Promise<{ readonly run: string }>): {
  readonly begin: () => void;
  readonly failure: Failure | undefined;
} {
  const [failure, setFailure] = useState<Failure>();
  const begin = async (): Promise<void> => {
    try {
      const { run } = await start();
      navigate(addressOf.runCanvas(run));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return { begin: () => void begin(), failure };
}

function Why({ failure }: { readonly failure: Failure | undefined }): ReactNode {
  const w = useWorkflowTexts();
  if (!failure) return undefined;
  return (
    <p className="problem" role="alert">
      {w.run.failed} {visible(failure.message)}
    </p>
  );
}
