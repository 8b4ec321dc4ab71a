import { CircleCheck, CircleX, EyeOff, Hand } from 'lucide-react';
import { useEffect, useId, useState, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { AppBody, AppGuard, GuardAction } from '../../../src/wire/native/app-body.ts';
import type { GuardFinding, TriedGuards } from '../../../src/wire/native/apps.ts';
import { useAppTexts } from '../texts/app-texts.ts';
import { Segments } from './fields.tsx';
import type { Side } from './model/guard-edits.ts';

/** A text goes in; what is found, and what would pass, comes out. */
export function GuardTrial({ guards }: { readonly guards: AppBody['guards'] }): ReactNode {
  const a = useAppTexts();
  const id = useId();
  const [text, setText] = useState('');
  const [side, setSide] = useState<Side>('input');
  const tried = useTrial(guards[side], side, text);
  return (
    <section className="app-trial" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{a.guards.try}</h3>
      <Segments
        label={a.guards.trySide}
        value={side}
        choices={[
          ['input', a.guards.trySides.input],
          ['output', a.guards.trySides.output],
        ]}
        change={setSide}
      />
      <label className="unseen" htmlFor={id}>
        {a.guards.tryText}
      </label>
      <textarea
        id={id}
        className="field"
        rows={3}
        maxLength={longest}
        value={text}
        placeholder={a.guards.tryHint}
        onChange={(event) => setText(event.target.value)}
        data-try
      />
      <div role="status">{tried && <Trial tried={tried} />}</div>
    </section>
  );
}

/** In characters, as the server allows. */
const longest = 10_000;
/** Somebody has stopped writing after so long. Milliseconds. */
const settling = 250;

interface Tried {
  /** What was tried: what is on the screen may be further already. */
  readonly given: string;
  readonly answer?: TriedGuards;
  readonly failure?: Failure;
}

function useTrial(guards: readonly AppGuard[], side: Side, text: string): Tried | undefined {
  const { applications } = useVitrine();
  const [tried, setTried] = useState<Tried>();
  const asked = JSON.stringify(guards);
  useEffect(() => {
    if (text.trim() === '') return setTried(undefined);
    let isCurrent = true;
    const show = (next: Tried): void => void (isCurrent && setTried(next));
    const wait = setTimeout(() => {
      applications
        .tryGuards({ guards: JSON.parse(asked), side, text })
        .then((answer) => show({ given: text, answer }))
        .catch((thrown: unknown) => {
          if (!(thrown instanceof RunError)) throw thrown;
          show({ given: text, failure: thrown.failure });
        });
    }, settling);
    return () => {
      isCurrent = false;
      clearTimeout(wait);
    };
  }, [applications, asked, side, text]);
  return tried;
}

function Trial({ tried: { given, answer, failure } }: { readonly tried: Tried }): ReactNode {
  const a = useAppTexts();
  if (!answer)
    return (
      <p className="problem" data-verdict="failed">
        {a.guards.failed} {visible(failure?.message ?? '')}
      </p>
    );
  const { verdict, findings, unasked } = answer;
  return (
    <div className="card app-trial-out" data-verdict={verdict}>
      <p className="app-trial-text">
        <Passing given={given} findings={findings} />
      </p>
      <p className="app-trial-verdict">
        {verdict === 'pass' ? (
          <CircleCheck className="icon small completed" aria-hidden />
        ) : (
          <ActionIcon action={verdict} />
        )}
        {verdict === 'pass' ? a.guards.passes : a.guards.verdicts[verdict]}
      </p>
      <ul>
        {findings.map((finding, i) => (
          <Finding key={i} finding={finding} given={given} />
        ))}
      </ul>
      {unasked.length > 0 && (
        <p className="quiet app-trial-note">{a.guards.unasked(visible(unasked.join(', ')))}</p>
      )}
    </div>
  );
}

/** The text as it would pass, with a mark in each place where something was found. */
function Passing({
  given,
  findings,
}: {
  readonly given: string;
  readonly findings: readonly GuardFinding[];
}): ReactNode {
  const isEnded = findings.at(-1)?.action === 'block';
  const last = findings.at(-1)?.end ?? 0;
  return (
    <>
      {findings.map(({ start, category, action }, i) => (
        <span key={i}>
          {visible(given.slice(findings[i - 1]?.end ?? 0, start))}
          <mark data-action={action}>{`[${category}]`}</mark>
        </span>
      ))}
      {!isEnded && visible(given.slice(last))}
    </>
  );
}

function Finding({ finding, given }: { readonly finding: GuardFinding; readonly given: string }): ReactNode {
  const a = useAppTexts();
  const { start, end, guard, category, action, line } = finding;
  const names: Readonly<Record<string, string>> = a.guards.names;
  return (
    <li data-finding={category} data-action={action}>
      <b>{line === undefined ? visible(category) : a.guards.line(line)}</b>
      <span className="quiet">{names[guard] ?? visible(guard)}</span>
      <span className="mono cut grow">{visible(given.slice(start, end))}</span>
      <span className="app-trial-action">
        <ActionIcon action={action} />
        {a.guards.done[action]}
      </span>
    </li>
  );
}

function ActionIcon({ action }: { readonly action: GuardAction }): ReactNode {
  if (action === 'block') return <CircleX className="icon small failed" aria-hidden />;
  if (action === 'ask') return <Hand className="icon small waiting" aria-hidden />;
  return <EyeOff className="icon small completed" aria-hidden />;
}
