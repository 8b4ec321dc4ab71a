import { Quote } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { FlatStep } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { exactLines, visible } from '../../../src/run/visible.ts';
import { isBlobRef, type BlobRef, type Json } from '../../../src/run/values.ts';
import { ApprovalsOf } from '../approvals/approvals-of.tsx';
import { AttachmentList } from '../data/attachment.tsx';
import { Markdown } from '../markdown.tsx';
import { useTexts } from '../texts/texts.ts';
import type { MergedStep } from './merged.ts';
import { useRunView, type Verbosity } from './run-view.tsx';
import { isLive, isTool, meaningOf } from './words.ts';

/** Whether there is anything to be seen below the line of a step. */
export function hasBody({ step, said }: MergedStep, verbosity: Verbosity): boolean {
  if (isLive(said.status) && !isTool(step)) return true;
  const { text, failure, notices, approvals, items, reasoning } = said;
  if (text ?? failure ?? notices ?? approvals ?? reasoning ?? step.reasoning) return true;
  if (step.text ?? step.failure ?? step.notices) return true;
  if (items?.some(({ kind }) => kind === 'attachment' || kind === 'action') === true) return true;
  if (resultOf(step, verbosity) !== undefined || said.call) return true;
  return verbosity === 'everything' && (said.thinking ?? said.log ?? said.query) !== undefined;
}

/** What a step thought, said, was given and gave back. */
export function StepBody({
  merged,
  status,
}: {
  readonly merged: MergedStep;
  /** How it stands for people. */
  readonly status: FlatStep['status'];
}): ReactNode {
  const { verbosity } = useRunView();
  const { step, said } = merged;
  const isAll = verbosity === 'everything';
  const result = resultOf(step, verbosity);
  const failure = step.failure ?? said.failure;
  // What a person refused is told once: by who it was and why, below.
  const told = failure?.code === 'refused' && said.approvals !== undefined ? failure.message : undefined;
  const notices = [...(step.notices ?? []), ...(said === step ? [] : (said.notices ?? []))];
  return (
    <div className="step-body">
      {(step.reasoning ?? said.reasoning) !== undefined && (
        <Thought text={step.reasoning ?? said.reasoning ?? ''} />
      )}
      {isAll && said.query !== undefined && <Part name="query" value={said.query} />}
      {isAll && said.thinking !== undefined && <Thought text={said.thinking} />}
      {said.call && said.status !== 'waiting' && <Part name="arguments" value={said.call.arguments} />}
      <SaidText step={step} said={said} />
      {isAll && said.log !== undefined && <Part name="log" value={said.log} />}
      {result !== undefined && <Part name="result" value={result} />}
      <AttachmentList items={said.items ?? []} />
      {notices
        .filter(({ message }) => told === undefined || !message.includes(told))
        .map(({ seq, message }) => (
          <p className="step-notice" key={seq}>
            {visible(message)}
          </p>
        ))}
      {failure && told === undefined && status !== 'skipped' && (
        <p className="fail" role="alert">
          {visible(failure.message)}
        </p>
      )}
      <ApprovalsOf step={said} />
    </div>
  );
}

/** What a turn says of its ending is for programs; an agent's result is its text once more. */
function resultOf({ result, kind }: FlatStep, verbosity: Verbosity): FlatStep['result'] {
  if (result === undefined || result === null) return undefined;
  if (verbosity === 'everything') return result;
  return kind === 'call' ? result : undefined;
}

function Thought({ text }: { readonly text: string }): ReactNode {
  const t = useTexts();
  return (
    <p className="thought">
      <Quote className="icon small" aria-hidden />
      <span className="unseen">{t.step.thought}:</span>
      <span>{visible(text)}</span>
    </p>
  );
}

/** What it has said so far. A turn that writes the answer says it below the run, where it stays. */
function SaidText({ step, said }: Pick<MergedStep, 'step' | 'said'>): ReactNode {
  const t = useTexts();
  const { verbosity } = useRunView();
  const text = step.text ?? said.text;
  const isWriting = said.status === 'running';
  if (step.kind === 'answer' && verbosity !== 'everything') return undefined;
  // Half of a plan that is written for programs says nothing to people.
  const isForPrograms = verbosity !== 'everything' && step.kind === 'route' && text?.startsWith('{') === true;
  if (text === undefined || (isForPrograms && said.status !== 'completed')) {
    if (!isWriting || isTool(step) || step.kind === 'step' || step.kind === 'branch') return undefined;
    return (
      <p className="stream quiet">
        <Dots /> {t.step.querying}
      </p>
    );
  }
  return (
    <div className="stream" data-writing={isWriting}>
      <Markdown text={verbosity === 'everything' ? text : meaningOf(text)} isWriting={isWriting} />
    </div>
  );
}

export function Dots(): ReactNode {
  return (
    <span className="dots" aria-hidden>
      <i />
      <i />
      <i />
    </span>
  );
}

const preview = 600;

/** Something as it was, every character of it to be seen; what is long is opened. */
function Part({
  name,
  value,
}: {
  readonly name: 'arguments' | 'result' | 'log' | 'query';
  readonly value: Json | BlobRef;
}): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const [whole, setWhole] = useState<Json>();
  const [isOpen, setOpen] = useState(false);
  const isKept = isBlobRef(value);
  const shown = whole ?? (isKept ? (value.preview ?? '') : value);
  const text = exactLines(shown).join('\n');
  const isLong = text.length > preview || (isKept && whole === undefined);
  const open = (): void => {
    setOpen(!isOpen);
    if (!isKept || whole !== undefined) return;
    client.download(value.blob).then(
      (bytes) => setWhole(JSON.parse(new TextDecoder().decode(bytes)) as Json),
      (thrown: unknown) => setWhole(String(thrown)),
    );
  };
  return (
    <section className="part">
      <h4 className="label">{t.step[name]}</h4>
      <pre className="mono" tabIndex={0} aria-label={t.step[name]}>
        {isLong && !isOpen ? `${text.slice(0, preview)}…` : text}
      </pre>
      {isLong && (
        <button type="button" className="button ghost small" aria-expanded={isOpen} onClick={open}>
          {isOpen ? t.data.close : t.step.open}
        </button>
      )}
    </section>
  );
}
