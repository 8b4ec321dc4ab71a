import './runs.css';
import { Search, X } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useRuns } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { useTexts } from '../texts/texts.ts';
import { filterStatuses, readFilter, writeFilter, type ListFilter } from './run-filter.ts';
import { RunLine } from './run-line.tsx';
import { useListed } from './use-listed.ts';

/** All runs, the newest first, or those that are looked for. */
export function Runs({ filter: written }: { readonly filter?: string | undefined }): ReactNode {
  const t = useTexts();
  const filter = useMemo(() => readFilter(written), [written]);
  const { is, runs, failure, more } = useListed(filter);
  const isFiltered = Object.keys(filter).length > 0;
  useTitle(t.runs.title);
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{t.runs.title}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      <Filters filter={filter} />
      <div className="list-body run-list" tabIndex={0} role="group" aria-label={t.runs.title} data-runs={is}>
        {is === 'loading' && <Bones />}
        {is === 'refused' && <Failed failure={failure} />}
        {is === 'ready' && runs.length === 0 && <Nothing isFiltered={isFiltered} />}
        {runs.map((listed) => (
          <RunLine key={listed.run} listed={listed} />
        ))}
        {more && (
          <button type="button" className="button small run-list-more" onClick={more}>
            {t.runList.more}
          </button>
        )}
      </div>
    </main>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const t = useTexts();
  return (
    <div className="p-6">
      {isFiltered ? (
        <Empty title={t.runList.nothing} text={t.runList.nothingText}>
          <Link to={addressOf.runs()} className="button small">
            {t.runList.all}
          </Link>
        </Empty>
      ) : (
        <Empty title={t.runs.empty} text={t.runs.emptyText}>
          <Link to={addressOf.chat()} className="button small">
            {t.runs.ask}
          </Link>
        </Empty>
      )}
    </div>
  );
}

function go(filter: ListFilter): void {
  navigate(addressOf.runs(writeFilter(filter)), { replace: true });
}

function Filters({ filter }: { readonly filter: ListFilter }): ReactNode {
  const t = useTexts();
  const { runs } = useRuns();
  const known = useMemo(() => {
    const all = [...runs.values()];
    return {
      app: namesIn(all.map(({ app }) => app)),
      agent: namesIn(all.flatMap(({ agents = [] }) => agents)),
      tool: namesIn(all.flatMap(({ tools = [] }) => tools)),
      label: namesIn(
        all.flatMap(({ labels = {} }) => Object.entries(labels).map(([name, value]) => `${name}=${value}`)),
      ),
    };
  }, [runs]);
  return (
    <search className="list-head run-filters">
      <Words filter={filter} />
      <Choice name="status" filter={filter} values={filterStatuses} show={(status) => t.status[status]} />
      <Choice name="app" filter={filter} values={known.app} />
      <Choice name="agent" filter={filter} values={known.agent} />
      <Choice name="tool" filter={filter} values={known.tool} />
      {(known.label.length > 0 || filter.label !== undefined) && (
        <Choice name="label" filter={filter} values={known.label} />
      )}
      {Object.keys(filter).length > 0 && (
        <button type="button" className="button ghost small" onClick={() => go({})} data-clear>
          <X className="icon small" aria-hidden />
          {t.runList.clear}
        </button>
      )}
    </search>
  );
}

function namesIn(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted((one, other) => one.localeCompare(other));
}

/** What is written is looked for after so long. Milliseconds. */
const settling = 250;

function Words({ filter }: { readonly filter: ListFilter }): ReactNode {
  const t = useTexts();
  const [text, setText] = useState(filter.text ?? '');
  useEffect(() => setText(filter.text ?? ''), [filter.text]);
  useEffect(() => {
    if (text.trim() === (filter.text ?? '')) return undefined;
    const waiting = setTimeout(() => go({ ...filter, text }), settling);
    return () => clearTimeout(waiting);
  }, [text]);
  return (
    <div className="search">
      <Search className="icon small" aria-hidden />
      <input
        type="search"
        value={text}
        placeholder={t.runList.findHint}
        aria-label={t.runList.find}
        data-find-runs
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  );
}

function Choice<T extends string>({
  name,
  filter,
  values,
  show = visible,
}: {
  readonly name: 'status' | 'app' | 'agent' | 'tool' | 'label';
  readonly filter: ListFilter;
  readonly values: readonly T[];
  readonly show?: (value: T) => string;
}): ReactNode {
  const t = useTexts();
  const chosen = filter[name] ?? '';
  const listed = chosen === '' || values.some((one) => one === chosen) ? values : [...values, chosen as T];
  return (
    <select
      className="run-choice"
      aria-label={t.runList[name]}
      value={chosen}
      data-choice={name}
      data-chosen={chosen !== ''}
      onChange={(event) => go({ ...filter, [name]: event.target.value })}
    >
      <option value="">{t.runList[name]}</option>
      {listed.map((one) => (
        <option key={one} value={one}>
          {show(one)}
        </option>
      ))}
    </select>
  );
}
