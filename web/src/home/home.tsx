import '../runs/runs.css';
import './home.css';
import { Plus } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { AskedApproval, ListedRun } from '../../../src/client/client.ts';
import { useApprovals, useRun } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { TimeLeft } from '../approvals/approval-card.tsx';
import { summaryOf } from '../chat/summary.ts';
import { useTree } from '../chat/use-tree.ts';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { RunLine } from '../runs/run-line.tsx';
import { useListed } from '../runs/use-listed.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Bones, Empty, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { argumentWords } from '../steps/words.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useMinute } from '../ticking.ts';
import { HomeFigures, type HomeFigured } from './home-figures.tsx';
import { SlowestTools } from './slowest-tools.tsx';
import { useWork } from './use-work.ts';

const day = 86_400_000;
/** So many runs are watched step by step; the others stand in the list. */
const watched = 6;
/** So many stand in a card. */
const most = 8;

/** What goes on now, what waits, and what did not finish. */
export function Home(): ReactNode {
  const t = useTexts();
  const since = useDay();
  const { is, runs: open, failure } = useListed(useMemo(() => ({ unfinished: true }), []));
  const { runs: failed } = useListed(useMemo(() => ({ status: 'failed' as const, since }), [since]));
  const { is: asked, approvals } = useApprovals();
  const work = useWork();
  useTitle(t.nav.home);
  const stranded = open.filter((run) => run.stranded !== undefined || run.damaged !== undefined);
  const atWork = open.filter((run) => !stranded.includes(run));
  return (
    <main className="screen" id="main" data-home={is}>
      <div className="bar">
        <MenuButton />
        <h1>{t.nav.home}</h1>
        <span className="grow" />
        <Link to={addressOf.chat()} className="button primary small">
          <Plus className="icon small" aria-hidden />
          {t.conversations.new}
        </Link>
        <ConnectionPill />
      </div>
      <div className="home" tabIndex={0} role="group" aria-label={t.nav.home}>
        {is === 'refused' && <Failed failure={failure} />}
        {(is === 'loading' || asked === 'loading') && <Bones />}
        {is !== 'loading' && asked !== 'loading' && (
          <Known {...{ atWork, stranded, failed, approvals, work }} />
        )}
      </div>
    </main>
  );
}

/** What is told once all of it was asked for: a figure that is not known yet is no zero. */
function Known({ atWork, stranded, failed, approvals, work }: HomeFigured): ReactNode {
  const t = useTexts();
  return (
    <>
      <header className="home-head">
        <h2>{t.home.headline(atWork.length, approvals.length)}</h2>
        <p>{stranded.length === 0 ? t.home.safe : t.home.stranded(stranded.length)}</p>
      </header>
      <HomeFigures {...{ atWork, stranded, failed, approvals, work }} />
      <div className="home-columns">
        <div className="home-stack">
          <AtWork runs={atWork} />
          <DidNotFinish runs={[...stranded, ...failed]} />
        </div>
        <div className="home-stack">
          <WaitsForYou approvals={approvals} />
          {work && <SlowestTools work={work} />}
        </div>
      </div>
    </>
  );
}

/** The beginning of the last 24 hours, to the hour: the list is asked for again no more often. */
function useDay(): number {
  const hour = 3_600_000;
  return Math.floor(useMinute() / hour) * hour - day;
}

function Card({
  title,
  count,
  to,
  all,
  children,
}: {
  readonly title: string;
  readonly count: number;
  readonly to: string;
  readonly all: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="card home-card" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span className="quiet num">{count}</span>
        <Link to={to}>{all}</Link>
      </header>
      {children}
    </section>
  );
}

function AtWork({ runs }: { readonly runs: readonly ListedRun[] }): ReactNode {
  const t = useTexts();
  return (
    <Card title={t.home.atWork} count={runs.length} to={addressOf.runs()} all={t.home.allRuns}>
      {runs.length === 0 && <Empty title={t.home.quiet} text={t.home.quietText} />}
      {runs.slice(0, most).map((run, i) => (
        <RunLine key={run.run} listed={run}>
          {i < watched && <Progress run={run.run} />}
        </RunLine>
      ))}
    </Card>
  );
}

/** One piece for each step of the run. */
function Progress({ run }: { readonly run: string }): ReactNode {
  const t = useTexts();
  const tree = useTree(useRun(run));
  const { top, done } = useMemo(() => summaryOf(tree), [tree]);
  return (
    <span className="strip run-strip" role="img" aria-label={t.run.steps(done, top.length)}>
      {top.slice(0, 40).map(({ id, status }) => (
        <i key={id} className={status} />
      ))}
    </span>
  );
}

function DidNotFinish({ runs }: { readonly runs: readonly ListedRun[] }): ReactNode {
  const t = useTexts();
  if (runs.length === 0) return undefined;
  return (
    <Card
      title={t.home.unfinished}
      count={runs.length}
      to={addressOf.runs('status=failed')}
      all={t.home.allFailed}
    >
      {runs.slice(0, most).map((run) => (
        <RunLine key={run.run} listed={run} />
      ))}
    </Card>
  );
}

function WaitsForYou({ approvals }: { readonly approvals: readonly AskedApproval[] }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const now = useMinute();
  return (
    <Card title={t.status.waiting} count={approvals.length} to={addressOf.approvals()} all={t.home.inbox}>
      {approvals.length === 0 && <Empty title={t.inbox.emptyTitle} text={t.inbox.emptyText} />}
      {approvals.slice(0, most).map(({ id, title, arguments: given, request, requestedAt, expiresAt }) => (
        <Link key={id} to={addressOf.approvals(id)} className="home-question" data-question={id}>
          <b>{visible(title)}</b>
          <span className="num quiet">
            {expiresAt === undefined ? format.since(requestedAt, now) : <TimeLeft until={expiresAt} />}
          </span>
          <span className="home-about">{argumentWords(given) || visible(request)}</span>
          <span className="button small">{t.home.look}</span>
        </Link>
      ))}
    </Card>
  );
}
