import { Dialog } from '@base-ui/react/dialog';
import { Play, X } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import type { Json } from '../../../src/run/values.ts';
import { visible } from '../../../src/run/visible.ts';
import { DraftForm } from '../approvals/draft-form.tsx';
import { useDraft } from '../approvals/draft.ts';
import { addressOf, navigate } from '../routing.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

interface RunDialogProps {
  readonly name: string;
  /** What the graph takes, as a JSON Schema. */
  readonly schema: Json | undefined;
  /** The newest that is published; 0 where nothing is. */
  readonly version: number;
  readonly isReadOnly: boolean;
  /** Saves what is drawn; whether it is saved. */
  readonly save: () => Promise<boolean>;
}

/** Asks for what the workflow is given, starts it and goes to its run. */
export function RunDialog(props: RunDialogProps): ReactNode {
  const w = useWorkflowTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className="button small" data-run-workflow>
        <Play className="icon small" aria-hidden />
        {w.run.go}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog narrow">
          <div className="dialog-head">
            <Dialog.Title>{w.run.title}</Dialog.Title>
            <span className="grow" />
            <Dialog.Close className="button ghost small square" aria-label={w.run.cancel}>
              <X className="icon small" aria-hidden />
            </Dialog.Close>
          </div>
          <div className="dialog-body">
            <RunForm {...props} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const onlyText = { type: 'object', properties: { text: { type: 'string' } } };

function RunForm({ name, schema, version, isReadOnly, save }: RunDialogProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const hasFields = typeof schema === 'object' && schema !== null && 'properties' in schema;
  const draft = useDraft({ schema: hasFields ? schema : onlyText }, nothing);
  const [mode, setMode] = useState<'draft' | 'published'>(isReadOnly ? 'published' : 'draft');
  const [failure, setFailure] = useState<Failure>();
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      if (mode === 'draft') await save();
      const { run } = await client.workflows.start(name, { input: draft.value, mode });
      navigate(addressOf.runCanvas(run));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <form className="run-form" onSubmit={(event) => void start(event)}>
      <DraftForm draft={draft} isAnswer />
      {!isReadOnly && version > 0 && (
        <fieldset>
          {(['draft', 'published'] as const).map((one) => (
            <label key={one} className="check">
              <input type="radio" name="mode" checked={mode === one} onChange={() => setMode(one)} />
              {w.run[one]}
            </label>
          ))}
        </fieldset>
      )}
      {failure && (
        <p className="problem" role="alert">
          {w.run.failed} {visible(failure.message)}
        </p>
      )}
      <button type="submit" className="button primary" disabled={draft.isWrong} data-start-run>
        <Play className="icon small" aria-hidden />
        {w.run.start}
      </button>
    </form>
  );
}

const nothing = { arguments: {} };
