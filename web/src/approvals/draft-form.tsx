import { lazy, Suspense, useEffect, useId, useRef, type ReactNode } from 'react';
import { exactLines, visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';
import type { Draft, DraftField } from './draft.ts';
import { wordDiff, type DiffPiece } from './word-diff.ts';

const JsonField = lazy(() => import('./json-field.tsx').then((made) => ({ default: made.JsonField })));

/** What is asked, as a form, and below it what one has changed in it. */
export function DraftForm({
  draft,
  isAnswer,
}: {
  readonly draft: Draft;
  readonly isAnswer: boolean;
}): ReactNode {
  const t = useTexts();
  const changed = draft.fields.filter(({ written, was }) => written !== was);
  const form = useRef<HTMLDivElement>(null);
  // Whoever asked for the form writes in it; what a question wants filled in is not jumped to.
  useEffect(() => {
    if (!isAnswer) form.current?.querySelector<HTMLElement>('.field')?.focus();
  }, [isAnswer]);
  return (
    <>
      <div ref={form} className={draft.isWhole ? 'draft whole' : 'draft'}>
        {draft.fields.map((field) => (
          <Field key={field.name} field={field} draft={draft} />
        ))}
      </div>
      {!isAnswer && (
        <section>
          <h4 className="label">{t.approval.changes}</h4>
          <div className="diff">
            {changed.length === 0 && <p className="quiet">{t.approval.noChanges}</p>}
            {changed.map((field) => (
              <Change key={field.name} field={field} />
            ))}
            {changed.length > 0 && <footer>{t.approval.newFingerprint}</footer>}
          </div>
        </section>
      )}
    </>
  );
}

function Field({ field, draft }: { readonly field: DraftField; readonly draft: Draft }): ReactNode {
  const t = useTexts();
  const id = useId();
  const { name, is, about, isNeeded, isWrong, written, was } = field;
  const isChanged = written !== was;
  const hints = [
    visible(about),
    isNeeded ? t.approval.needed : '',
    isChanged && was !== '' && was.length < 60 ? t.approval.was(visible(was)) : '',
    isWrong && is === 'json' ? t.approval.notJson : '',
    exactLines(written).join('\n') === written ? '' : t.approval.hidden,
  ].filter((hint) => hint !== '');
  return (
    <>
      <label htmlFor={id} className={isChanged ? 'changed' : ''}>
        {name === '' ? t.approval.whatIsSent : visible(name)}
      </label>
      <div>
        <Input id={id} field={field} write={(text) => draft.write(name, text)} />
        {hints.length > 0 && (
          <p className="hint" id={`${id}-hint`}>
            {hints.join(' · ')}
          </p>
        )}
      </div>
    </>
  );
}

interface InputProps {
  readonly id: string;
  readonly field: DraftField;
  readonly write: (text: string) => void;
}

function Input({
  id,
  field: { name, is, choices, written, isWrong, isNeeded },
  write,
}: InputProps): ReactNode {
  const shared = { id, className: 'field mono', 'aria-invalid': isWrong, 'aria-describedby': `${id}-hint` };
  if (is === 'choice' || is === 'boolean') {
    const options = is === 'boolean' ? ['true', 'false'] : choices;
    return (
      <select {...shared} value={written} onChange={(event) => write(event.target.value)}>
        {!isNeeded || !options.includes(written) ? (
          <option value={options.includes(written) ? '' : written}>
            {options.includes(written) ? '' : written}
          </option>
        ) : undefined}
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  if (is === 'number')
    return (
      <input
        {...shared}
        inputMode="decimal"
        value={written}
        onChange={(event) => write(event.target.value)}
      />
    );
  const rows = Math.min(14, Math.max(1, Math.ceil(written.length / 64), written.split('\n').length));
  const plain = (
    <textarea {...shared} rows={rows} value={written} onChange={(event) => write(event.target.value)} />
  );
  if (is !== 'json') return plain;
  return (
    <Suspense fallback={plain}>
      <JsonField
        label={visible(name)}
        describedBy={`${id}-hint`}
        isWrong={isWrong}
        written={written}
        write={write}
      />
    </Suspense>
  );
}

function Change({ field: { name, was, written } }: { readonly field: DraftField }): ReactNode {
  const [before, after] = wordDiff(exactLines(was).join('\n'), exactLines(written).join('\n'));
  return (
    <>
      <Line sign="−" name={name} pieces={before} />
      <Line sign="+" name={name} pieces={after} />
    </>
  );
}

function Line({
  sign,
  name,
  pieces,
}: {
  readonly sign: '+' | '−';
  readonly name: string;
  readonly pieces: readonly DiffPiece[];
}): ReactNode {
  return (
    <div className={sign === '+' ? 'added' : 'removed'}>
      <span aria-hidden>{sign}</span>
      <code>
        {name === '' ? '' : `${visible(name)}: `}
        {pieces.map(({ text, isOwn }, i) =>
          isOwn ? <mark key={i}>{text}</mark> : <span key={i}>{text}</span>,
        )}
      </code>
    </div>
  );
}
