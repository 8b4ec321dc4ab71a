import { useState, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../../src/client/client.ts';
import { useVitrine } from '../../../../src/react/react.ts';
import { visible } from '../../../../src/run/visible.ts';
import type { WorkflowVersion } from '../../../../src/wire/native/workflows.ts';
import { formatIn } from '../../format.ts';
import { addressOf, Link } from '../../routing.tsx';
import { announce } from '../../shell/announce.tsx';
import { Bones, Failed } from '../../shell/states.tsx';
import { useLanguage } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { useMinute } from '../../ticking.ts';
import { useAsked } from '../../use-asked.ts';
import { fragmentOf, type Looking } from '../looking.ts';
import { SidePanel } from './side-panel.tsx';
import { VersionDiff } from './version-diff.tsx';

interface VersionsProps {
  readonly name: string;
  readonly looking: Looking;
  readonly isReadOnly: boolean;
  /** Another whenever a draft was saved or a version published. */
  readonly stamp: string;
}

/** The draft and all versions: who made each, what still runs on it, and what it changed. */
export function Versions({ name, looking, isReadOnly, stamp }: VersionsProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const { value, failure, again } = useAsked(() => client.workflows.versions(name), [client, name, stamp]);
  const newestFirst = value?.versions.toSorted((one, other) => order(other) - order(one)) ?? [];
  return (
    <SidePanel
      is="versions"
      title={w.versions.title}
      hint={w.versions.hint}
      away={addressOf.workflow(name, fragmentOf({ view: looking.view }))}
    >
      {failure && <Failed failure={failure} retry={again} />}
      {!value && !failure && <Bones />}
      <ol>
        {newestFirst.map((version, i) => (
          <VersionLine
            key={version.version}
            {...{ name, looking, version, stamp, again }}
            mayMove={!isReadOnly && version.version > 0}
            before={newestFirst[i + 1]?.version}
          />
        ))}
      </ol>
    </SidePanel>
  );
}

/** The draft is ahead of all versions. */
function order({ version }: WorkflowVersion): number {
  return version === 0 ? Infinity : version;
}

interface LineProps extends Omit<VersionsProps, 'isReadOnly'> {
  readonly version: WorkflowVersion;
  /** What it is compared with. */
  readonly before: number | undefined;
  readonly mayMove: boolean;
  readonly again: () => void;
}

function VersionLine({ name, looking, version, before, mayMove, stamp, again }: LineProps): ReactNode {
  const w = useWorkflowTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  const { version: own, state, revision, by, at, open = 0 } = version;
  const shown = own === 0 ? undefined : own;
  const isShown = looking.version === shown;
  const there = fragmentOf({ view: looking.view, side: 'versions', version: shown });
  return (
    <li className="version" data-version={own} data-state={state}>
      <Link
        to={addressOf.workflow(name, there)}
        className="list-line version-line"
        aria-current={isShown ? 'true' : undefined}
      >
        <span className={state === 'published' ? 'workflow-tag' : 'workflow-tag of-draft'}>
          {own === 0 ? w.draft(revision) : w.version(own)}
        </span>
        {state === 'archived' && <span className="quiet">{w.versions.archived}</span>}
        <span className="grow" />
        {open > 0 && (
          <span className="version-open" data-open={open}>
            {w.running(open)}
          </span>
        )}
        <span className="quiet num version-made">{w.changed(visible(by), format.since(at, now))}</span>
      </Link>
      {isShown && (
        <div className="version-more">
          {before === undefined ? (
            <p className="hint">{own === 0 ? w.versions.unpublished : w.versions.first}</p>
          ) : (
            <VersionDiff key={`${own} ${own === 0 ? stamp : ''}`} {...{ name, from: before, to: own }} />
          )}
          {mayMove && <Move name={name} version={version} again={again} />}
        </div>
      )}
    </li>
  );
}

/** Lets a version be started no more, or again. */
function Move({ name, version, again }: Pick<LineProps, 'name' | 'version' | 'again'>): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const [failure, setFailure] = useState<Failure>();
  const { version: own, state } = version;
  const isArchived = state === 'archived';
  const move = async (): Promise<void> => {
    try {
      await (isArchived ? client.workflows.restore(name, own) : client.workflows.archive(name, own));
      setFailure(undefined);
      announce(isArchived ? w.versions.restored(own) : w.versions.nowArchived(own));
      again();
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <>
      <div className="version-acts">
        <button type="button" className="button small" onClick={() => void move()} data-move-version>
          {isArchived ? w.versions.restore : w.versions.archive}
        </button>
        <span className="hint">{isArchived ? w.versions.restoreHint : w.versions.archiveHint}</span>
      </div>
      {failure && (
        <p className="problem" role="alert">
          {visible(failure.message)}
        </p>
      )}
    </>
  );
}
