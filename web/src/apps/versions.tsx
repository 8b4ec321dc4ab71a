import { useState, type ReactNode } from 'react';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { AppVersion } from '../../../src/wire/native/apps.ts';
import { ChangedFields } from '../editing/changed-fields.tsx';
import { formatIn } from '../format.ts';
import { Bones, Failed } from '../shell/states.tsx';
import { useAppTexts } from '../texts/app-texts.ts';
import { useLanguage } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';
import { useAsked } from '../use-asked.ts';
import { useDesk } from './app-desk.ts';

/** The draft and all versions, the newest first: who made each, and what it changed. */
export function Versions({ stamp }: { readonly stamp: string }): ReactNode {
  const { applications } = useVitrine();
  const { name } = useDesk();
  const { value, failure, again } = useAsked(() => applications.versions(name), [applications, name, stamp]);
  const [opened, setOpened] = useState<number>();
  if (failure) return <Failed failure={failure} retry={again} />;
  if (!value) return <Bones />;
  const newestFirst = value.toSorted((one, other) => order(other) - order(one));
  return (
    <ol className="app-versions">
      {newestFirst.map((version, i) => (
        <VersionLine
          key={version.version}
          {...{ version, stamp }}
          before={newestFirst[i + 1]?.version}
          isOpen={opened === version.version}
          toggle={() => setOpened(opened === version.version ? undefined : version.version)}
        />
      ))}
    </ol>
  );
}

/** The draft is ahead of all versions. */
function order({ version }: AppVersion): number {
  return version === 0 ? Infinity : version;
}

interface LineProps {
  readonly version: AppVersion;
  /** What it is compared with. */
  readonly before: number | undefined;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly stamp: string;
}

function VersionLine({ version, before, isOpen, toggle, stamp }: LineProps): ReactNode {
  const a = useAppTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  const { version: own, state, revision, by, at, moved } = version;
  return (
    <li data-version={own} data-state={state}>
      <button type="button" className="app-version" aria-expanded={isOpen} onClick={toggle}>
        <b>{own === 0 ? a.versions.draft(revision) : a.version(own)}</b>
        <span className="app-tag" data-state={state}>
          {a.states[state]}
        </span>
        <span className="grow" />
        <span className="quiet num">{a.by(visible(by), format.since(at, now))}</span>
      </button>
      {isOpen && (
        <div className="app-version-more">
          {moved && (
            <p className="hint" data-moved>
              {a.versions.moved[state === 'archived' ? 'archived' : 'restored'](
                visible(moved.by),
                format.since(moved.at, now),
              )}
            </p>
          )}
          {before === undefined ? (
            <p className="hint">{a.versions.first}</p>
          ) : (
            <Changes key={own === 0 ? stamp : ''} from={before} to={own} />
          )}
        </div>
      )}
    </li>
  );
}

function Changes({ from, to }: { readonly from: number; readonly to: number }): ReactNode {
  const a = useAppTexts();
  const { applications } = useVitrine();
  const { name } = useDesk();
  const { value, failure, again } = useAsked(
    () => applications.diff(name, { from, to }),
    [applications, name, from, to],
  );
  if (failure) return <Failed failure={failure} retry={again} />;
  if (!value) return undefined;
  return (
    <section aria-label={a.versions.since(from)} data-diff={`${from} ${to}`}>
      <h3 className="label">{a.versions.since(from)}</h3>
      {value.length === 0 ? (
        <p className="hint">{a.versions.same}</p>
      ) : (
        <ChangedFields fields={value} names={a.versions.fields} />
      )}
    </section>
  );
}
