import { lazy, Suspense, useId, type ReactNode } from 'react';
import type { Context } from '../../../../src/graph/expression.ts';
import { readValue, writtenOf, type NodeField } from '../../canvas/model/node-fields.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { CasesInput, ChoicesInput, RetryInput } from './field-lists.tsx';
import { valueThen } from '../runs/last-run.ts';
import type { FieldInputProps } from './field-props.ts';

const ExpressionField = lazy(() =>
  import('./expression-field.tsx').then((made) => ({ default: made.ExpressionField })),
);

/** One field of a node: its name, what it says, and what it said in the last run. */
export function FieldInput(props: FieldInputProps): ReactNode {
  const w = useWorkflowTexts();
  const id = useId();
  const { field, value, change, isWrong } = props;
  const label = w.edit.fields[field.name] ?? field.name;
  if (field.is === 'boolean')
    return (
      <label className="node-field check" data-field={field.name} data-wrong={isWrong}>
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => change(event.target.checked ? true : undefined)}
        />
        {label}
      </label>
    );
  const isGroup = field.is === 'cases' || field.is === 'retry' || field.is === 'choices';
  const isCode = field.is === 'expression' || field.is === 'template' || field.is === 'value';
  return (
    <div
      className="node-field"
      data-field={field.name}
      data-wrong={isWrong}
      role={isGroup ? 'group' : undefined}
      aria-label={isGroup ? label : undefined}
    >
      {isGroup || isCode ? <span className="lb">{label}</span> : <label htmlFor={id}>{label}</label>}
      <Input {...props} id={id} label={label} />
    </div>
  );
}

function Input(props: FieldInputProps & { readonly id: string; readonly label: string }): ReactNode {
  const { field, value, change, id } = props;
  switch (field.is) {
    case 'boolean':
      return undefined;
    case 'cases':
      return <CasesInput {...props} />;
    case 'retry':
      return <RetryInput {...props} />;
    case 'choices':
      return <ChoicesInput {...props} />;
    case 'choice':
      return <ChoiceInput {...props} />;
    case 'number':
      return (
        <input
          id={id}
          className="field"
          inputMode="decimal"
          value={writtenOf(value)}
          onChange={(event) => change(event.target.value === '' ? undefined : readValue(event.target.value))}
        />
      );
    case 'names':
      return <NamesInput {...props} />;
    case 'text':
      return <TextInput {...props} />;
    case 'long':
      return (
        <textarea
          id={id}
          className="field mono"
          rows={8}
          value={typeof value === 'string' ? value : writtenOf(value)}
          onChange={(event) => change(leftOut(event.target.value, field))}
        />
      );
    case 'expression':
    case 'template':
    case 'value':
      return <CodeInput {...props} is={field.is} />;
  }
}

function ChoiceInput({ field, value, change, id }: FieldInputProps & { readonly id: string }): ReactNode {
  return (
    <select
      id={id}
      className="field"
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => change(event.target.value === '' ? undefined : event.target.value)}
    >
      {!field.isNeeded && <option value="" />}
      {field.choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

function TextInput({
  field,
  value,
  change,
  id,
  names,
}: FieldInputProps & { readonly id: string }): ReactNode {
  return (
    <>
      <input
        id={id}
        className="field"
        list={names.length > 0 ? `${id}-names` : undefined}
        value={typeof value === 'string' ? value : writtenOf(value)}
        onChange={(event) => change(leftOut(event.target.value, field))}
      />
      {names.length > 0 && (
        <datalist id={`${id}-names`}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </datalist>
      )}
    </>
  );
}

function leftOut(text: string, { isNeeded }: NodeField): string | undefined {
  return text === '' && !isNeeded ? undefined : text;
}

function NamesInput({ id, value, change }: FieldInputProps & { readonly id: string }): ReactNode {
  const w = useWorkflowTexts();
  const written = Array.isArray(value) ? value.join(', ') : '';
  return (
    <>
      <input
        id={id}
        className="field"
        key={written}
        defaultValue={written}
        aria-describedby={`${id}-hint`}
        onBlur={(event) => {
          const names = event.target.value
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean);
          if (names.join(', ') !== written) change(names.length === 0 ? undefined : names);
        }}
      />
      <p className="hint" id={`${id}-hint`}>
        {w.edit.commas}
      </p>
    </>
  );
}

function CodeInput({
  is,
  label,
  field,
  value,
  change,
  speaking,
  isWrong,
}: FieldInputProps & {
  readonly is: 'expression' | 'template' | 'value';
  readonly label: string;
}): ReactNode {
  const w = useWorkflowTexts();
  const written = is === 'value' || typeof value !== 'string' ? writtenOf(value) : value;
  const last: Context | undefined = speaking.last;
  const then = valueThen(last, is, written);
  const write = (text: string): void => {
    if (text === '' && !field.isNeeded) change(undefined);
    // A wait may be a number of seconds; everything else that is an expression is text.
    else change(is === 'value' || (field.name === 'for' && /^[\d.]+$/.test(text)) ? readValue(text) : text);
  };
  return (
    <>
      <Suspense fallback={<textarea className="field mono" aria-label={label} readOnly value={written} />}>
        <ExpressionField
          label={label}
          isWrong={isWrong}
          written={written}
          write={write}
          isExpression={is === 'expression'}
          speaking={speaking}
        />
      </Suspense>
      {then !== undefined && (
        <p className="last-run" data-last-run>
          {w.edit.lastRun(then)}
        </p>
      )}
    </>
  );
}
