import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { readValue, writtenOf } from '../../canvas/model/node-fields.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import type { FieldInputProps } from './field-props.ts';

/** What a question can be answered with whatever is said. */
const always: ReadonlySet<string> = new Set(['approve', 'reject']);

/** Which of a few things are so. */
export function ChoicesInput({ field, value, change }: FieldInputProps): ReactNode {
  const w = useWorkflowTexts();
  const chosen = new Set(Array.isArray(value) ? value.map(String) : []);
  const isAnswers = field.name === 'allowed';
  const choices = isAnswers ? field.choices.filter((choice) => !always.has(choice)) : field.choices;
  return (
    <div className="checks">
      {isAnswers && <p className="hint">{w.edit.always}</p>}
      {choices.map((choice) => (
        <label key={choice} className="check">
          <input
            type="checkbox"
            checked={chosen.has(choice)}
            onChange={(event) => {
              const now = field.choices.filter((one) =>
                one === choice ? event.target.checked : chosen.has(one),
              );
              change(now.length === 0 ? undefined : now);
            }}
          />
          {choice}
        </label>
      ))}
    </div>
  );
}

interface Case {
  readonly port: string;
  readonly when: string;
}

/** Where a branch may go, and when. */
export function CasesInput({ value, change }: FieldInputProps): ReactNode {
  const w = useWorkflowTexts();
  const cases = (Array.isArray(value) ? value : []) as readonly Case[];
  const set = (index: number, one: Case): void => change(cases.map((old, i) => (i === index ? one : old)));
  return (
    <>
      {cases.map((one, i) => (
        <div key={i} className="case">
          <input
            className="field mono"
            aria-label={w.edit.fields['port']}
            value={one.port}
            onChange={(event) => set(i, { ...one, port: event.target.value })}
            data-case-port={i}
          />
          <input
            className="field mono"
            aria-label={w.edit.fields['when']}
            value={one.when}
            onChange={(event) => set(i, { ...one, when: event.target.value })}
            data-case-when={i}
          />
          <button
            type="button"
            className="button ghost small square"
            aria-label={w.edit.removeCase(one.port)}
            onClick={() => change(cases.filter((_, other) => other !== i))}
          >
            <X className="icon small" aria-hidden />
          </button>
        </div>
      ))}
      <button
        type="button"
        className="button small"
        onClick={() => change([...cases, { port: `case${cases.length + 1}`, when: 'true' }])}
      >
        <Plus className="icon small" aria-hidden />
        {w.edit.addCase}
      </button>
    </>
  );
}

/** How often a node that fails is tried again, and after how long. */
export function RetryInput({ value, change }: FieldInputProps): ReactNode {
  const w = useWorkflowTexts();
  const { times, pause } = (value ?? {}) as { readonly times?: unknown; readonly pause?: unknown };
  const set = (field: 'times' | 'pause', text: string): void => {
    const now = { times, pause, [field]: text === '' ? undefined : readValue(text) };
    if (now.times === undefined) change(undefined);
    else change(now.pause === undefined ? { times: now.times } : now);
  };
  return (
    <div className="case">
      <input
        className="field"
        inputMode="numeric"
        aria-label={w.edit.tries}
        placeholder={w.edit.tries}
        value={writtenOf(times)}
        onChange={(event) => set('times', event.target.value)}
      />
      <input
        className="field"
        inputMode="decimal"
        aria-label={w.edit.pause}
        placeholder={w.edit.pause}
        value={writtenOf(pause)}
        onChange={(event) => set('pause', event.target.value)}
      />
    </div>
  );
}
