import { Trash2 } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import type { DraftNode } from '../canvas/model/draft-graph.ts';
import * as edits from '../canvas/model/edits.ts';
import { fieldsOfType, readValue, writtenOf, type NodeField } from '../canvas/model/node-fields.ts';
import { nameOf } from '../canvas/model/node-name.ts';
import { nodeAt, nodePath, partOf, type NodePath } from '../canvas/model/node-path.ts';
import { NodeIcon } from '../canvas/node-icon.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import { speakingAt } from './fields/completions.ts';
import { placeOfProblem, type Desk } from './desk.ts';
import { FieldInput } from './fields/field-input.tsx';
import { LeadsTo } from './leads-to.tsx';
import { TryNode, type TriedFrom } from './runs/start-from-run.tsx';

/** What is chosen, to be changed: a node by its schema, or the workflow itself. */
export function Inspector({
  desk,
  isReadOnly,
  sought,
  tried,
}: {
  readonly desk: Desk;
  readonly isReadOnly: boolean;
  readonly sought?: Sought | undefined;
  /** Where steps can be tried alone. */
  readonly tried?: TriedFrom;
}): ReactNode {
  const w = useWorkflowTexts();
  const { edited, chosen } = desk;
  const side = useRef<HTMLElement>(null);
  const node = chosen === undefined ? undefined : nodeAt(edited.draft, chosen);
  useEffect(() => {
    if (sought && side.current) focusField(side.current, sought.field);
  }, [sought]);
  return (
    <aside ref={side} className="inspector-side" aria-label={w.edit.settings} data-inspects={chosen ?? ''}>
      <fieldset disabled={isReadOnly}>
        {node && chosen !== undefined ? (
          <NodeForm key={chosen} desk={desk} node={node} path={chosen} />
        ) : (
          <GraphForm desk={desk} />
        )}
      </fieldset>
      {tried && node && chosen === node.id && node.type !== 'start' && (
        <TryNode key={chosen} {...tried} node={chosen} />
      )}
    </aside>
  );
}

/** A field that somebody wants to get to; the same again is another wish. */
export interface Sought {
  readonly field: string;
}

/** An editor stands in a shadow of its own. */
function focusField(side: HTMLElement, field: string): void {
  const place = side.querySelector(`[data-field="${CSS.escape(field)}"]`) ?? side.querySelector('.leads-to');
  place?.scrollIntoView({ block: 'nearest' });
  const code = place?.querySelector('.code-field')?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
  const plain = place?.querySelector<HTMLElement>('input, select, textarea, button');
  (code ?? plain)?.focus();
}

interface NodeFormProps {
  readonly desk: Desk;
  readonly node: DraftNode;
  readonly path: NodePath;
}

function NodeForm({ desk, node, path }: NodeFormProps): ReactNode {
  const w = useWorkflowTexts();
  const { editing, edited, last, problems } = desk;
  const speaking = speakingAt(edited.draft, path, last);
  const wrong = new Set(
    problems
      .map((problem) => placeOfProblem(edited.draft, problem))
      .filter((place) => place.path === path)
      .map(({ field }) => field),
  );
  return (
    <>
      <header>
        <NodeIcon node={node} />
        <h2 className="cut">{visible(nameOf(node))}</h2>
        <span className="quiet">{w.types[node.type]}</span>
        <span className="grow" />
        <button
          type="button"
          className="button ghost small square"
          aria-label={w.edit.remove}
          onClick={() => editing.edit(edits.removed(path))}
          data-remove
        >
          <Trash2 className="icon small" aria-hidden />
        </button>
      </header>
      <IdField desk={desk} node={node} path={path} />
      {fieldsOfType(node.type).map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={node[field.name]}
          change={(value) => editing.edit(edits.changed(path, field.name, value), `${path} ${field.name}`)}
          names={namesFor(field, desk)}
          speaking={speaking}
          isWrong={wrong.has(field.name)}
        />
      ))}
      <LeadsTo desk={desk} node={node} path={path} />
    </>
  );
}

/** What a field may name. */
function namesFor({ name }: NodeField, { known }: Desk): readonly string[] {
  if (name === 'agent' || name === 'judge') return [...known.agents];
  if (name === 'tool') return [...known.tools];
  return name === 'workflow' ? [...known.workflows] : [];
}

function IdField({ desk: { editing, edited, choose }, node, path }: NodeFormProps): ReactNode {
  const w = useWorkflowTexts();
  const id = useId();
  return (
    <div className="node-field" data-field="id">
      <label htmlFor={id}>{w.edit.id}</label>
      <input
        id={id}
        className="field mono"
        key={node.id}
        defaultValue={node.id}
        aria-describedby={`${id}-hint`}
        onBlur={({ target }) => {
          const named = target.value.trim();
          const after = nodePath(partOf(path), named);
          if (named === '' || named === node.id || nodeAt(edited.draft, after)) target.value = node.id;
          else {
            editing.edit(edits.renamed(path, named));
            choose(after);
          }
        }}
      />
      <p className="hint" id={`${id}-hint`}>
        {w.edit.idHint}
      </p>
    </div>
  );
}

/** What is said of the workflow itself. */
function GraphForm({ desk: { editing, edited } }: { readonly desk: Desk }): ReactNode {
  const w = useWorkflowTexts();
  const id = useId();
  const { title, input } = edited.draft;
  return (
    <>
      <header>
        <h2>{w.edit.graph}</h2>
      </header>
      <p className="hint node-field">{w.edit.choose}</p>
      <div className="node-field" data-field="title">
        <label htmlFor={id}>{w.edit.fields['title']}</label>
        <input
          id={id}
          className="field"
          value={title ?? ''}
          onChange={({ target }) =>
            editing.edit(
              (graph) => ({ ...graph, title: target.value === '' ? undefined : target.value }),
              'title',
            )
          }
        />
      </div>
      <div className="node-field" data-field="input">
        <label htmlFor={`${id}-input`}>{w.edit.inputSchema}</label>
        <textarea
          id={`${id}-input`}
          className="field mono"
          rows={8}
          key={writtenOf(input)}
          defaultValue={writtenOf(input)}
          onBlur={({ target }) => {
            if (target.value === writtenOf(input)) return;
            const value = target.value.trim() === '' ? undefined : readValue(target.value);
            editing.edit((graph) => ({ ...graph, input: value }));
          }}
        />
      </div>
    </>
  );
}
