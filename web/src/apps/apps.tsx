import './apps.css';
import { LayoutGrid, Plus } from 'lucide-react';
import { useCallback, useEffect, useId, useState, type FormEvent, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { mostCounted, type ListedApp } from '../../../src/wire/native/apps.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { useAppTexts } from '../texts/app-texts.ts';
import { useLanguage } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';
import { AppActions } from './app-actions.tsx';

/** All apps: what they are, how they stand, and what was done with them. */
export function Apps(): ReactNode {
  const a = useAppTexts();
  const client = useVitrine();
  const [listed, setListed] = useState<readonly ListedApp[]>();
  const [failure, setFailure] = useState<Failure>();
  useTitle(a.title);
  const look = useCallback(async () => {
    try {
      setListed(await client.applications.list());
      setFailure(undefined);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  }, [client]);
  useEffect(() => void look(), [look]);
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{a.title}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      <Create />
      <div className="app-list" role="group" aria-label={a.title} tabIndex={0}>
        {failure && <Failed failure={failure} retry={() => void look()} />}
        {!listed && !failure && <Bones />}
        {listed?.length === 0 && (
          <div className="p-6">
            <Empty title={a.empty} text={a.emptyText} />
          </div>
        )}
        {listed?.map((one) => (
          <Line key={one.name} listed={one} changed={() => void look()} />
        ))}
      </div>
    </main>
  );
}

function Line({ listed, changed }: { readonly listed: ListedApp; readonly changed: () => void }): ReactNode {
  const a = useAppTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  const { name, title, description, flow, state, readOnly, made, problem } = listed;
  const isApplication = flow === 'pipeline';
  return (
    <div className="app-line" data-app={name} data-state={state}>
      <LayoutGrid className="icon" aria-hidden />
      <div className="app-line-words">
        <span className="app-line-title">
          <Link to={isApplication ? addressOf.app(name) : addressOf.appChat(name)} className="cut">
            {visible(title)}
          </Link>
          {title !== name && <span className="mono quiet cut">{visible(name)}</span>}
        </span>
        {(problem ?? description) !== '' && (
          <span className={problem === undefined ? 'quiet cut' : 'problem'}>
            {visible(problem ?? description)}
          </span>
        )}
      </div>
      <Facts listed={listed} />
      <span className="quiet num app-line-made">
        {made && !readOnly
          ? a.by(visible(made.by), format.since(made.at, now))
          : isApplication
            ? a.readOnly
            : a.flow(visible(flow))}
      </span>
      <AppActions listed={listed} changed={changed} />
    </div>
  );
}

function Facts({ listed }: { readonly listed: ListedApp }): ReactNode {
  const a = useAppTexts();
  const { state, made, changed, counts, readOnly } = listed;
  const told = (many: number): string => (many >= mostCounted ? a.more(mostCounted) : String(many));
  const words = [
    a.counts.runs(told(counts.runs)),
    a.counts.conversations(told(counts.conversations)),
    ...(counts.skills === undefined ? [] : [a.counts.skills(counts.skills)]),
    ...(counts.documents === undefined ? [] : [a.counts.documents(counts.documents)]),
    ...(counts.guards === undefined ? [] : [a.counts.guards(counts.guards)]),
  ];
  return (
    <span className="app-facts">
      <span className="app-tag" data-state={state}>
        {a.states[state]}
        {made && made.version > 0 && !readOnly ? ` ${a.version(made.version)}` : ''}
      </span>
      {changed === true && state !== 'draft' && (
        <span className="app-tag" data-state="draft">
          {a.changed}
        </span>
      )}
      <span className="quiet num" data-counts>
        {words.join(' · ')}
      </span>
    </span>
  );
}

function Create(): ReactNode {
  const a = useAppTexts();
  const client = useVitrine();
  const id = useId();
  const [title, setTitle] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      const { name } = await client.applications.create(title.trim());
      navigate(addressOf.app(name));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <form className="app-create" onSubmit={(event) => void create(event)}>
      <label htmlFor={id} className="unseen">
        {a.createTitle}
      </label>
      <input
        id={id}
        className="field"
        value={title}
        placeholder={a.createTitle}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setTitle(event.target.value)}
        data-new-title
      />
      <button type="submit" className="button" disabled={title.trim() === ''} data-create>
        <Plus className="icon small" aria-hidden />
        {a.create}
      </button>
      <span id={`${id}-hint`} className="quiet" role={failure ? 'alert' : undefined}>
        {failure ? visible(failure.message) : a.createHint}
      </span>
    </form>
  );
}
