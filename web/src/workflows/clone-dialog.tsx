import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { addressOf, navigate } from '../routing.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { NarrowDialog } from './narrow-dialog.tsx';

interface CloneDialogProps {
  readonly name: string;
  /** Of which version; of the newest, unless said. */
  readonly version: number | undefined;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Asks for the name of a copy, makes it and goes there. */
export function CloneDialog({ name, version, isOpen, close }: CloneDialogProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const id = useId();
  const [to, setTo] = useState(`${name}-2`);
  const [failure, setFailure] = useState<Failure>();
  const clone = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await client.workflows.clone(name, { name: to, version });
      close();
      navigate(addressOf.workflow(to));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <NarrowDialog title={w.menu.cloneOf(version)} isOpen={isOpen} setOpen={(open) => !open && close()}>
      <form className="run-form" onSubmit={(event) => void clone(event)}>
        <div className="draft">
          <label htmlFor={id}>{w.createName}</label>
          <div>
            <input
              id={id}
              className="field mono"
              value={to}
              aria-describedby={`${id}-hint`}
              onChange={(event) => setTo(event.target.value)}
              data-clone-name
            />
            <p className="hint" id={`${id}-hint`}>
              {w.createHint}
            </p>
          </div>
        </div>
        {failure && (
          <p className="problem" role="alert">
            {visible(failure.message)}
          </p>
        )}
        <button type="submit" className="button primary" disabled={to === ''} data-make-clone>
          {w.menu.makeClone}
        </button>
      </form>
    </NarrowDialog>
  );
}
