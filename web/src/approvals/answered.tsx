import { useEffect, useMemo, useState, type ReactNode } from 'react';
import type { FlatApproval } from '../../../src/client/client.ts';
import { useRuns, useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { StatusMark } from '../steps/status-mark.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';

/** So many of the newest runs that asked something are looked at. */
const most = 8;

/** What was answered lately, and by whom. */
export function Answered(): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const answered = useAnswered();
  if (answered.length === 0) return undefined;
  return (
    <>
      <h2>{t.inbox.answered}</h2>
      {answered.map(({ id, title, decision, by = '', rationale, decidedAt = 0 }) => (
        <div key={id} className="inbox-item old" data-answered={id}>
          <StatusMark
            status={decision === 'reject' ? 'failed' : decision === 'expire' ? 'skipped' : 'completed'}
          />
          <b className="cut">{visible(title)}</b>
          <span className="time num">{format.clock(decidedAt)}</span>
          <span className="about">
            {decision !== undefined && t.step.decided[decision](visible(by))}
            {rationale !== undefined && rationale !== '' && ` ${t.step.because(visible(rationale))}`}
          </span>
        </div>
      ))}
    </>
  );
}

function useAnswered(): readonly FlatApproval[] {
  const client = useVitrine();
  const { runs } = useRuns();
  const [answered, setAnswered] = useState<readonly FlatApproval[]>([]);
  const asking = useMemo(
    () =>
      [...runs.values()]
        .filter(({ asked = 0, approvals }) => asked > approvals)
        .toSorted((one, other) => other.updatedAt - one.updatedAt)
        .slice(0, most)
        .map(({ run, approvals, asked }) => `${run} ${asked ?? 0} ${approvals}`)
        .join(),
    [runs],
  );
  useEffect(() => {
    let isCurrent = true;
    const names = asking.split(',').flatMap((one) => one.split(' ')[0] || []);
    void Promise.all(names.map((run) => client.tree(run).catch(() => undefined))).then((trees) => {
      if (!isCurrent) return;
      const all = trees.flatMap((tree) => tree?.approvals ?? []).filter(({ status }) => status === 'decided');
      setAnswered(all.toSorted((one, other) => (other.decidedAt ?? 0) - (one.decidedAt ?? 0)).slice(0, 12));
    });
    return () => {
      isCurrent = false;
    };
  }, [client, asking]);
  return answered;
}
