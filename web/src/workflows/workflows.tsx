import './workflows.css';
import { Plus, Workflow as WorkflowIcon } from 'lucide-react';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { ListedWorkflow } from '../../../src/wire/native/workflows.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link, navigate } from '../routing.tsx';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { problemWords } from '../texts/problem-words.ts';
import { useLanguage } from '../texts/texts.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { useMinute } from '../ticking.ts';
import { useAsked } from '../use-asked.ts';
import { allWorkflows } from './use-workflow.ts';

/** All workflows: what is drawn, what is published. */
export function Workflows(): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const {
    value: listed,
    failure,
    again,
  } = useAsked(async () => (await allWorkflows(client)).workflows, [client]);
  useTitle(w.title);
  return (
    <main className="screen" id="main">
      <div className="bar">
        <MenuButton />
        <h1>{w.title}</h1>
        <span className="grow" />
        <ConnectionPill />
      </div>
      <Create />
      <div className="list-body" role="group" aria-label={w.title} tabIndex={0}>
        {failure && <Failed failure={failure} retry={again} />}
        {!listed && !failure && <Bones />}
        {listed?.length === 0 && (
          <div className="p-6">
            <Empty title={w.empty} text={w.emptyText} />
          </div>
        )}
        {listed?.map((one) => (
          <Line key={one.name} listed={one} />
        ))}
      </div>
    </main>
  );
}

function Line({ listed }: { readonly listed: ListedWorkflow }): ReactNode {
  const w = useWorkflowTexts();
  const now = useMinute();
  const { name, title, readOnly, draft, published, schedules = 0, versions, problems = [] } = listed;
  const language = useLanguage();
  const format = formatIn(language);
  const newest = [draft, published].reduce(
    (one, other) => ((other?.at ?? 0) > (one?.at ?? 0) ? other : one),
    draft,
  );
  return (
    <Link to={addressOf.workflow(name)} className="list-line workflow-line" data-workflow={name}>
      <WorkflowIcon className="icon" aria-hidden />
      <b className="cut">{visible(title ?? name)}</b>
      <span className="mono quiet cut">{name}</span>
      <span className="workflow-facts">
        {published ? (
          <span className="workflow-tag">{w.version(published.version)}</span>
        ) : (
          <span className="quiet">{versions > 0 ? w.versions.archived : w.unpublished}</span>
        )}
        {draft && draft.hash !== published?.hash && (
          <span className="workflow-tag of-draft">{w.draft(draft.revision)}</span>
        )}
        {readOnly && <span className="quiet">{w.readOnly}</span>}
        {schedules > 0 && <span className="quiet">{w.schedules(schedules)}</span>}
        {problems.map((one) => (
          <span
            key={`${one.node} ${one.field} ${one.problem}`}
            className="workflow-gone"
            data-gone={one.node}
          >
            {visible(problemWords(one, language).problem)}
          </span>
        ))}
      </span>
      {newest && (
        <span className="quiet num">{w.changed(visible(newest.by), format.since(newest.at, now))}</span>
      )}
    </Link>
  );
}

/** A new one begins with a start and an end, so that there is something to draw on. */
function Create(): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const id = useId();
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await client.workflows.create(name, {
        name,
        nodes: [
          { id: 'start', type: 'start' },
          { id: 'end', type: 'end' },
        ],
        edges: [],
        layout: { start: [0, 0], end: [720, 0] },
      });
      navigate(addressOf.workflow(name));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <form className="list-head workflow-create" onSubmit={(event) => void create(event)}>
      <label htmlFor={id} className="unseen">
        {w.createName}
      </label>
      <input
        id={id}
        className="field mono"
        value={name}
        placeholder={w.createName}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setName(event.target.value)}
        data-new-name
      />
      <button type="submit" className="button" disabled={name === ''} data-create>
        <Plus className="icon small" aria-hidden />
        {w.create}
      </button>
      <span id={`${id}-hint`} className="quiet" role={failure ? 'alert' : undefined}>
        {failure ? visible(failure.message) : w.createHint}
      </span>
    </form>
  );
}
