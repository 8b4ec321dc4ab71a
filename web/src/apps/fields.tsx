import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { useAppTexts } from '../texts/app-texts.ts';
import { useDesk } from './app-desk.ts';

interface FieldProps {
  /** As the server names it: what is wrong or missing there is told here. */
  readonly field: string;
  readonly label: string;
  readonly hint?: string;
}

interface PlaceProps extends FieldProps {
  readonly children: (ids: { readonly id: string; readonly describedBy: string }) => ReactNode;
  /** A group of inputs, which its label names as a whole. */
  readonly isGroup?: boolean;
}

/** Where a field stands: its label, its input, and below it what it is for, or what is wrong with it. */
export function FieldPlace({ field, label, hint, children, isGroup = false }: PlaceProps): ReactNode {
  const id = useId();
  const { problems, lacks, sought } = useDesk();
  const place = useRef<HTMLDivElement>(null);
  const wrong = problems.filter((problem) => isOf(problem.field, field));
  const isLacking = lacks.some((lack) => lack.field === field);
  useEffect(() => {
    if (sought !== field) return;
    place.current?.scrollIntoView({ block: 'center' });
    place.current?.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
  }, [sought, field]);
  const ids = { id, describedBy: `${id}-hint` };
  return (
    <div
      className="app-field"
      ref={place}
      data-field={field}
      data-wrong={wrong.length > 0}
      data-lacking={isLacking}
      {...(isGroup ? { role: 'group', 'aria-labelledby': `${id}-label` } : {})}
    >
      {isGroup ? (
        <span className="lb" id={`${id}-label`}>
          {label}
        </span>
      ) : (
        <label htmlFor={id}>{label}</label>
      )}
      {children(ids)}
      <p
        id={ids.describedBy}
        className={wrong.length > 0 ? 'problem' : 'quiet'}
        role={wrong.length > 0 ? 'alert' : undefined}
      >
        {wrong.length > 0 ? wrong.map(({ problem }) => visible(problem)).join(' ') : hint}
      </p>
    </div>
  );
}

function isOf(problem: string, field: string): boolean {
  return problem === field || problem.startsWith(`${field}.`);
}

/** A text of one line, or of several. */
export function TextField({
  value,
  change,
  rows,
  isCode = false,
  ...place
}: FieldProps & {
  readonly value: string | undefined;
  readonly change: (value: string) => void;
  readonly rows?: number;
  readonly isCode?: boolean;
}): ReactNode {
  const { isReadOnly } = useDesk();
  const looks = isCode ? 'field mono' : 'field';
  return (
    <FieldPlace {...place}>
      {({ id, describedBy }) =>
        rows === undefined ? (
          <input
            id={id}
            className={looks}
            value={value ?? ''}
            readOnly={isReadOnly}
            aria-describedby={describedBy}
            onChange={(event) => change(event.target.value)}
          />
        ) : (
          <textarea
            id={id}
            className={looks}
            rows={rows}
            value={value ?? ''}
            readOnly={isReadOnly}
            spellCheck={!isCode}
            aria-describedby={describedBy}
            onChange={(event) => change(event.target.value)}
          />
        )
      }
    </FieldPlace>
  );
}

/** One of several that there are, or none. What is chosen and is there no more is shown all the same. */
export function ChoiceField({
  value,
  change,
  choices,
  ...place
}: FieldProps & {
  readonly value: string | undefined;
  readonly change: (value: string | undefined) => void;
  readonly choices: readonly { readonly name: string; readonly description: string }[];
}): ReactNode {
  const a = useAppTexts();
  const { isReadOnly } = useDesk();
  const isStrange = value !== undefined && !choices.some(({ name }) => name === value);
  return (
    <FieldPlace {...place}>
      {({ id, describedBy }) => (
        <select
          id={id}
          className="field"
          value={value ?? ''}
          disabled={isReadOnly}
          aria-describedby={describedBy}
          onChange={(event) => change(event.target.value || undefined)}
        >
          <option value="">{a.fields.none}</option>
          {isStrange && <option value={value}>{visible(value)}</option>}
          {choices.map(({ name }) => (
            <option key={name} value={name}>
              {visible(name)}
            </option>
          ))}
        </select>
      )}
    </FieldPlace>
  );
}

/** Texts, one a line, each with its own input. */
export function ListField({
  values,
  change,
  entry,
  ...place
}: FieldProps & {
  readonly values: readonly string[];
  readonly change: (values: string[]) => void;
  /** The name of one of them, by its number. */
  readonly entry: (number: number) => string;
}): ReactNode {
  const a = useAppTexts();
  const { isReadOnly } = useDesk();
  const list = useRef<HTMLDivElement>(null);
  const wasAdded = useRef(false);
  useEffect(() => {
    if (!wasAdded.current) return;
    wasAdded.current = false;
    [...(list.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
  }, [values.length]);
  const add = (): void => {
    wasAdded.current = true;
    change([...values, '']);
  };
  return (
    <FieldPlace {...place} isGroup>
      {() => (
        <div className="app-texts" ref={list}>
          {values.map((value, i) => (
            <span key={i}>
              <input
                className="field"
                value={value}
                readOnly={isReadOnly}
                aria-label={entry(i + 1)}
                onChange={(event) => change(values.with(i, event.target.value))}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || isReadOnly) return;
                  event.preventDefault();
                  add();
                }}
              />
              {!isReadOnly && (
                <button
                  type="button"
                  className="button ghost small square"
                  aria-label={a.fields.remove(entry(i + 1))}
                  onClick={() => change(values.toSpliced(i, 1))}
                >
                  <X className="icon small" aria-hidden />
                </button>
              )}
            </span>
          ))}
          {!isReadOnly && (
            <button type="button" className="button small" onClick={add} data-add-to={place.field}>
              <Plus className="icon small" aria-hidden />
              {a.fields.add}
              <span className="unseen">{place.label}</span>
            </button>
          )}
        </div>
      )}
    </FieldPlace>
  );
}

/** Something that is so or not. */
export function CheckField({
  checked,
  change,
  ...place
}: FieldProps & { readonly checked: boolean; readonly change: (checked: boolean) => void }): ReactNode {
  const { isReadOnly } = useDesk();
  const id = useId();
  return (
    <div className="app-field" data-field={place.field}>
      <label className="check">
        <input
          type="checkbox"
          checked={checked}
          disabled={isReadOnly}
          aria-describedby={`${id}-hint`}
          onChange={(event) => change(event.target.checked)}
        />
        {place.label}
      </label>
      <p id={`${id}-hint`} className="quiet">
        {place.hint}
      </p>
    </div>
  );
}

/** A few words of which one is chosen. */
export function Segments<T extends string>({
  label,
  value,
  choices,
  change,
  isReadOnly = false,
}: {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, name: string])[];
  readonly change: (value: T) => void;
  readonly isReadOnly?: boolean;
}): ReactNode {
  return (
    <div className="segments" role="group" aria-label={label}>
      {choices.map(([one, name]) => (
        <button
          key={one}
          type="button"
          aria-pressed={value === one}
          disabled={isReadOnly && value !== one}
          onClick={() => !isReadOnly && change(one)}
          data-choice={one}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
