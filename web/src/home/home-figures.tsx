import { CircleX, Clock, Hand, LoaderCircle, Unplug, type LucideIcon } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { AskedApproval, ListedRun } from '../../../src/client/client.ts';
import { useRuns } from '../../../src/react/react.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';

interface Known {
  readonly atWork: readonly ListedRun[];
  readonly stranded: readonly ListedRun[];
  readonly failed: readonly ListedRun[];
  readonly approvals: readonly AskedApproval[];
}

/** How it stands, in figures that each lead to what they count. */
export function HomeFigures({ atWork, stranded, failed, approvals }: Known): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const { runs } = useRuns();
  const half = useMemo(() => medianOf([...runs.values()].flatMap(({ duration }) => duration ?? [])), [runs]);
  const parked = atWork.filter(({ status }) => status !== 'running').length;
  const takes = half === undefined ? '–' : format.duration(half);
  const done = addressOf.runs('status=completed');
  const { waiting } = t.status;
  const { home } = t;
  return (
    <div className="card home-figures">
      <Counted is="waiting" to={addressOf.approvals()} icon={Hand} name={waiting} more={home.questions}>
        {format.count(approvals.length)}
      </Counted>
      <Counted
        is="running"
        to={addressOf.runs()}
        icon={LoaderCircle}
        name={home.atWork}
        more={home.parked(parked)}
      >
        {format.count(atWork.length)}
      </Counted>
      <Counted is="failed" to={failedRuns} icon={CircleX} name={home.failed} more={home.lastDay}>
        {format.count(failed.length)}
      </Counted>
      <Counted
        is="stranded"
        to={addressOf.runs()}
        icon={Unplug}
        name={home.strandedName}
        more={home.strandedMore}
      >
        {format.count(stranded.length)}
      </Counted>
      <Counted is="duration" to={done} icon={Clock} name={home.duration} more={home.half}>
        {takes}
      </Counted>
    </div>
  );
}

const failedRuns = addressOf.runs('status=failed');

function Counted({
  is,
  to,
  icon: Icon,
  name,
  more,
  children,
}: {
  readonly is: string;
  readonly to: string;
  readonly icon: LucideIcon;
  readonly name: string;
  readonly more: string;
  readonly children: string;
}): ReactNode {
  return (
    <Link to={to} data-figure={is} className={is === 'waiting' && children !== '0' ? 'need' : ''}>
      <span className="home-name">
        <Icon className="icon small" aria-hidden />
        {name}
      </span>
      <span className="home-value">{children}</span>
      <small>{more}</small>
    </Link>
  );
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
