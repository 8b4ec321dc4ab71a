import { CircleX, Clock, Gauge, Hand, LoaderCircle, RefreshCw, Unplug, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AskedApproval, ListedRun } from '../../../src/client/client.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import type { Work } from './work.ts';

export interface HomeFigured {
  readonly atWork: readonly ListedRun[];
  readonly stranded: readonly ListedRun[];
  readonly failed: readonly ListedRun[];
  readonly approvals: readonly AskedApproval[];
  /** Nothing until it was looked at. */
  readonly work: Work | undefined;
}

/** How it stands, in figures that each lead to what they count. */
export function HomeFigures({ atWork, stranded, failed, approvals, work }: HomeFigured): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const parked = atWork.filter(({ status }) => status !== 'running').length;
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
      <Worked work={work} />
    </div>
  );
}

const failedRuns = addressOf.runs('status=failed');
const doneRuns = addressOf.runs('status=completed');

/** How the newest runs worked. */
function Worked({ work }: Pick<HomeFigured, 'work'>): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const { home } = t;
  const { firstStep } = work ?? {};
  const newest = work ? home.newest(work.runs) : t.states.loading;
  const counted = (count: number | undefined): string => (count === undefined ? '–' : format.count(count));
  return (
    <>
      <Counted is="reused" to={doneRuns} icon={RefreshCw} name={t.run.repeats} more={newest}>
        {counted(work?.reused)}
      </Counted>
      <Counted is="budget" to={doneRuns} icon={Gauge} name={home.budgetStops} more={newest}>
        {counted(work?.budgetStops)}
      </Counted>
      <Counted
        is="first-step"
        to={doneRuns}
        icon={Clock}
        name={home.firstStep}
        more={firstStep ? home.most(format.short(firstStep.most)) : work ? home.noRuns : newest}
      >
        {firstStep ? `${format.short(firstStep.half)} ms` : '–'}
      </Counted>
    </>
  );
}

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
