import type { ReactNode } from 'react';
import type { FlatApproval } from '../../../src/client/client.ts';
import type { Question, WholeQuestion } from '../../../src/react/react.ts';
import { exactLines, visible } from '../../../src/run/visible.ts';
import type { Json } from '../../../src/run/values.ts';
import { formatIn } from '../format.ts';
import { Bones } from '../shell/states.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import type { Deciding } from './decision-bar.tsx';
import type { Draft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';

interface Contents {
  readonly approval: FlatApproval;
  readonly question: Question;
  readonly draft: Draft;
  readonly mode: Deciding['mode'];
}

/** All that whoever agrees agrees to, in the order in which one reads it. */
export function QuestionContent({ approval, question, draft, mode }: Contents): ReactNode {
  const t = useTexts();
  const { whole, missing } = question;
  const { message, insteadOf, forgotten } = approval;
  if (missing)
    return (
      <p className="problem" role="alert">
        {t.approval.missing} {visible(missing.message)}
      </p>
    );
  if (!whole) return <Bones />;
  // What was asked is not what is sent any more: neither its fingerprint nor that exactly it is sent holds of it.
  const isChanged = mode === 'edit' && draft.changes > 0;
  const isForm = mode === 'edit' || (whole.arguments === undefined && approval.schema !== undefined);
  return (
    <>
      {isForm ? (
        <DraftForm draft={draft} isAnswer={mode !== 'edit'} />
      ) : (
        <Arguments value={whole.arguments} />
      )}
      {whole.attachments.length > 0 && <Along whole={whole} />}
      <RefersTo whole={whole} />
      {forgotten === true && <p className="step-notice">{t.approval.forgotten}</p>}
      <p className="why">
        {message !== undefined && !isChanged && <span>{visible(message)}</span>}
        {insteadOf !== undefined && <span>{t.approval.insteadOf}</span>}
        <Facts approval={approval} isChanged={isChanged} />
      </p>
    </>
  );
}

function Facts({
  approval: { expiresAt, fingerprint, priority },
  isChanged,
}: Pick<Contents, 'approval'> & { readonly isChanged: boolean }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  return (
    <>
      {t.approval.priority[priority] !== '' && <span>{t.approval.priority[priority]}</span>}
      {expiresAt !== undefined && <span>{t.approval.noAnswerBy(format.clock(expiresAt))}</span>}
      {!isChanged && (
        <span title={fingerprint}>
          {t.approval.fingerprint} <span className="mono">{fingerprint.slice(0, 8)}</span>
        </span>
      )}
    </>
  );
}

/** Exactly what runs, whole; every character can be seen. */
function Arguments({ value }: { readonly value: Json | undefined }): ReactNode {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value))
    return (
      <pre className="args-text mono" data-exact tabIndex={0}>
        {exactLines(value).join('\n')}
      </pre>
    );
  return (
    <dl className="args" data-exact>
      {Object.entries(value).map(([name, one]) => (
        <div className="contents" key={name}>
          <dt>{exactLines(name).join('\n')}</dt>
          <dd>{exactLines(one).join('\n')}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What hangs on the message: also what is changed goes out with it. */
function Along({ whole: { attachments } }: { readonly whole: WholeQuestion }): ReactNode {
  const t = useTexts();
  return (
    <section>
      <h4 className="label">{t.approval.along}</h4>
      {attachments.map(({ title, type, text, url }, i) => (
        <Quoted key={i} name={`${title ?? t.data.file} (${type})`} text={text ?? url ?? ''} />
      ))}
    </section>
  );
}

/** What the words mean where they go: what was said there before. */
function RefersTo({ whole: { exchange, history } }: { readonly whole: WholeQuestion }): ReactNode {
  const t = useTexts();
  if (!exchange && history.length === 0) return undefined;
  return (
    <section>
      <h4 className="label">{t.approval.refersTo}</h4>
      {exchange && (
        <dl className="refs">
          <dt>{t.approval.askedLast}</dt>
          <dd>{visible(exchange.asked)}</dd>
          <dt>{t.approval.answeredLast}</dt>
          <dd>
            {visible(exchange.answered)} {visible(exchange.outcome ?? '')}
          </dd>
        </dl>
      )}
      {history.length > 0 && <h4 className="label">{t.approval.before}</h4>}
      {history.map(({ role, text, calls, attachments }, i) => (
        <div key={i}>
          <Quoted name={role} text={text} />
          {calls !== undefined && <Quoted name="" text={exactLines(calls).join('\n')} />}
          {attachments.map((one, at) => (
            <Quoted
              key={at}
              name={`${one.title ?? t.data.file} (${one.type})`}
              text={one.text ?? one.url ?? ''}
            />
          ))}
        </div>
      ))}
    </section>
  );
}

function Quoted({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <figure className="quoted">
      {name !== '' && <figcaption className="label">{visible(name)}</figcaption>}
      <pre className="args-text mono" tabIndex={0}>
        {exactLines(text).join('\n')}
      </pre>
    </figure>
  );
}
