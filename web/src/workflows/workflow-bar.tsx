import { ArrowLeft, Code, Eye, List, Workflow as WorkflowIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { RunError } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { Saving } from '../editing/draft-keeper.ts';
import { EditTurns, SavedWords } from '../editing/edit-bar.tsx';
import { addressOf, Link, navigate } from '../routing.tsx';
import { announce } from '../shell/announce.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import type { Desk } from './desk.ts';
import { fragmentOf, views, type Looking } from './looking.ts';
import { RunDialog } from './runs/run-dialog.tsx';
import { useNewestRun } from './runs/use-last-run.ts';
import type { Loaded } from './use-workflow.ts';
import { WorkflowMenu } from './workflow-menu.tsx';

interface BarProps {
  readonly desk: Desk;
  readonly loaded: Loaded;
  readonly looking: Looking;
  readonly saving: Saving;
  /** The newest that is published; 0 where nothing is. */
  readonly version: number;
  readonly setVersion: (version: number) => void;
}

/** What it is, how it is kept, and what can be done with it. */
export function WorkflowBar(props: BarProps): ReactNode {
  const w = useWorkflowTexts();
  const { desk, loaded, looking, saving, version, setVersion } = props;
  const { edited, keeper } = desk;
  const [said, say] = useState('');
  const isDrawing = !loaded.isReadOnly && looking.version === undefined;
  const newest = useNewestRun(loaded.name);
  return (
    <div className="bar">
      <MenuButton />
      <Link to={addressOf.workflows} className="button ghost small square" aria-label={w.back}>
        <ArrowLeft className="icon" aria-hidden />
      </Link>
      <h1 className="cut">{visible(edited.draft.title ?? loaded.name)}</h1>
      {loaded.isReadOnly ? (
        <span className="quiet cut wide-only">{`${w.version(loaded.version)}, ${w.readOnly}`}</span>
      ) : (
        <SavedWords
          saving={saving}
          unread={edited.unread === undefined ? undefined : w.unread.said}
          unchanged={version === 0 ? w.versions.archived : w.version(version)}
        />
      )}
      <span className="grow" />
      {isDrawing && <EditTurns editing={desk.editing} />}
      {newest && (
        <Link to={addressOf.runCanvas(newest.run)} className="button small wide-only" data-newest-run>
          <Eye className="icon small" aria-hidden />
          {w.views.live}
        </Link>
      )}
      <Views name={loaded.name} looking={looking} />
      <RunDialog
        name={loaded.name}
        schema={edited.draft.input}
        version={version}
        shown={looking.version}
        isReadOnly={loaded.isReadOnly}
        save={() => keeper.flush()}
      />
      {isDrawing && <Publish {...props} say={say} />}
      <WorkflowMenu {...{ loaded, looking, version, say }} moved={() => setVersion(0)} />
      {said !== '' && (
        <span className="published" role="status" data-published>
          {visible(said)}
        </span>
      )}
    </div>
  );
}

const icons = { canvas: WorkflowIcon, yaml: Code, list: List } as const;

function Views({ name, looking }: { readonly name: string; readonly looking: Looking }): ReactNode {
  const w = useWorkflowTexts();
  return (
    <div className="segments" role="group" aria-label={w.views.label}>
      {views.map((is) => {
        const Icon = icons[is];
        const there = addressOf.workflow(name, fragmentOf({ ...looking, view: is }));
        return (
          <button
            key={is}
            type="button"
            aria-pressed={looking.view === is}
            onClick={() => navigate(there, { replace: true })}
            data-view-as={is}
          >
            <Icon className="icon small" aria-hidden />
            <span className="view-name">{w.views[is]}</span>
          </button>
        );
      })}
    </div>
  );
}

/** Waits for problems to be solved and for what is drawn to be saved. */
function Publish({
  desk: { keeper, problems, edited },
  loaded,
  setVersion,
  say,
}: BarProps & { readonly say: (sentence: string) => void }): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const publish = async (): Promise<void> => {
    try {
      if (!(await keeper.flush())) return;
      const { version, open } = await client.workflows.publish(loaded.name, keeper.getSnapshot().revision);
      const others = open.reduce((sum, { version: on, runs }) => (on === version ? sum : sum + runs), 0);
      const sentence = [w.publish.done(version), w.publish.open(others)].filter(Boolean).join(' ');
      setVersion(version);
      say(sentence);
      announce(sentence);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      say(`${w.publish.failed} ${thrown.failure.message}`);
    }
  };
  const waitsFor = [
    ...(edited.unread === undefined ? [] : [w.unread.said]),
    ...(problems.length > 0 ? [w.problems.title(problems.length)] : []),
  ];
  return (
    <button
      type="button"
      className="button small primary"
      disabled={waitsFor.length > 0}
      title={waitsFor.join(' ') || undefined}
      onClick={() => void publish()}
      data-publish
    >
      {w.publish.go}
    </button>
  );
}
