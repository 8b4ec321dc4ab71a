import { Play } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../../src/client/client.ts';
import { useVitrine } from '../../../../src/react/react.ts';
import type { Json } from '../../../../src/run/values.ts';
import { visible } from '../../../../src/run/visible.ts';
import { DraftForm } from '../../approvals/draft-form.tsx';
import { useDraft } from '../../approvals/draft.ts';
import { addressOf, navigate } from '../../routing.tsx';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { NarrowDialog } from '../narrow-dialog.tsx';

interface RunDialogProps {
  readonly name: string;
  /** What the graph takes, as a JSON Schema. */
  readonly schema: Json | undefined;
  /** The newest that is published; 0 where nothing is. */
  readonly version: number;
  /** The version that is looked at instead of the draft: then that is run. */
  readonly shown: number | undefined;
  readonly isReadOnly: boolean;
  /** Saves what is drawn; whether it is saved. */
  readonly save: () => Promise<boolean>;
}

/** Asks for what the workflow is given, starts it and goes to its run. */
export function RunDialog(props: RunDialogProps): ReactNode {
  const w = useWorkflowTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button small" onClick={() => setOpen(true)} data-run-workflow>
        <Play className="icon small" aria-hidden />
        {w.run.go}
      </button>
      <NarrowDialog title={w.run.title(props.shown)} isOpen={isOpen} setOpen={setOpen}>
        <RunForm {...props} />
      </NarrowDialog>
    </>
  );
}

/** What the form of an input is made from: the schema, or a text where it says no fields. */
export function inputSchema(schema: Json | undefined): Json {
  const hasFields = typeof schema === 'object' && schema !== null && 'properties' in schema;
  return hasFields ? schema : { type: 'object', properties: { text: { type: 'string' } } };
}

function RunForm({ name, schema, version, shown, isReadOnly, save }: RunDialogProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const draft = useDraft({ schema: inputSchema(schema) }, nothing);
  const isChosen = !isReadOnly && shown === undefined && version > 0;
  const [mode, setMode] = useState<'draft' | 'published'>(
    isReadOnly || shown !== undefined ? 'published' : 'draft',
  );
  const [dry, setDry] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      if (mode === 'draft' && !(await save())) throw new RunError('rejected', w.run.unsaved);
      const { run } = await client.workflows.start(name, { input: draft.value, mode, version: shown, dry });
      navigate(addressOf.runCanvas(run));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <form className="run-form" onSubmit={(event) => void start(event)}>
      <DraftForm draft={draft} isAnswer />
      {isChosen && (
        <fieldset>
          {(['draft', 'published'] as const).map((one) => (
            <label key={one} className="check">
              <input type="radio" name="mode" checked={mode === one} onChange={() => setMode(one)} />
              {w.run[one]}
            </label>
          ))}
        </fieldset>
      )}
      <DryCheck dry={dry} setDry={setDry} />
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

interface DryCheckProps {
  readonly dry: boolean;
  readonly setDry: (dry: boolean) => void;
}

function DryCheck({ dry, setDry }: DryCheckProps): ReactNode {
  const w = useWorkflowTexts();
  return (
    <label className="check dry">
      <input type="checkbox" checked={dry} onChange={({ target }) => setDry(target.checked)} data-dry />
      <span>
        {w.run.dry} <span className="quiet">{w.run.dryHint}</span>
      </span>
    </label>
  );
}

const nothing = { arguments: {} };
