import type { ReactNode } from 'react';
import { useVitrine } from '../../../../src/react/react.ts';
import { visible } from '../../../../src/run/visible.ts';
import type { WorkflowDiff } from '../../../../src/wire/native/workflows.ts';
import { ChangedFields } from '../../editing/changed-fields.tsx';
import { Failed } from '../../shell/states.tsx';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { useAsked } from '../../use-asked.ts';

interface VersionDiffProps {
  readonly name: string;
  /** Versions; 0 is the draft. */
  readonly from: number;
  readonly to: number;
}

/** What one version has that another has not, node by node. */
export function VersionDiff({ name, from, to }: VersionDiffProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const { value, failure, again } = useAsked(
    () => client.workflows.diff(name, { from, to }),
    [client, name, from, to],
  );
  if (failure) return <Failed failure={failure} retry={again} />;
  if (!value) return undefined;
  const isSame = value.nodes.length + value.edges.length + value.other.length === 0;
  return (
    <section aria-label={w.versions.since(from)} data-diff={`${from} ${to}`}>
      <h3 className="label">{w.versions.since(from)}</h3>
      {isSame ? <p className="hint">{w.versions.same}</p> : <Changes diff={value} />}
    </section>
  );
}

function Changes({ diff: { nodes, edges, other } }: { readonly diff: WorkflowDiff }): ReactNode {
  const w = useWorkflowTexts();
  return (
    <ul className="changes">
      {other.length > 0 && (
        <li data-change="changed">
          <ChangeHead change="changed" what={w.edit.graph} />
          <ChangedFields names={w.edit.fields} fields={other} />
        </li>
      )}
      {nodes.map(({ node, change, fields }) => (
        <li key={node} data-change={change} data-changed-node={node}>
          <ChangeHead change={change} what={node} />
          <ChangedFields names={w.edit.fields} fields={fields} />
        </li>
      ))}
      {edges.map(({ within, change, edge: { from, to, port = 'done' } }) => (
        <li key={`${change} ${within} ${from} ${port} ${to}`} data-change={change}>
          <ChangeHead change={change} what={`${from} → ${to}${port === 'done' ? '' : ` (${port})`}`} />
        </li>
      ))}
    </ul>
  );
}

const signs = { added: '+', removed: '−', changed: '~' } as const;

function ChangeHead({
  change,
  what,
}: {
  readonly change: keyof typeof signs;
  readonly what: string;
}): ReactNode {
  const w = useWorkflowTexts();
  return (
    <span className="change-head">
      <b className="mono" aria-hidden>
        {signs[change]}
      </b>
      <span className="mono cut">{visible(what)}</span>
      <span className="quiet">{w.versions.changes[change]}</span>
    </span>
  );
}
