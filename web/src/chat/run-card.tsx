import { ChevronRight, CirclePause, Square } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { FlatTree, RunStore } from '../../../src/client/client.ts';
import { StepTree, useSource, useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { announce } from '../shell/announce.tsx';
import { useSetting } from '../setting.ts';
import { AgentMark } from '../steps/agent-mark.tsx';
import { Elapsed } from '../steps/elapsed.tsx';
import { foldGently } from '../steps/fold-gently.ts';
import { Folding, RunViewContext, verbosity, type RunView } from '../steps/run-view.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { Dots } from '../steps/step-body.tsx';
import { StepCard } from '../steps/step-card.tsx';
import { StepList } from '../steps/step-list.tsx';
import { useTexts } from '../texts/texts.ts';
import { Ribbon } from './ribbon.tsx';
import { askedBy, beginningOf, summaryOf, type Summary } from './summary.ts';

/** A finished run folds to a line after so long. Milliseconds. */
const lingering = 1_500;

interface CardProps {
  readonly run: RunStore;
  readonly conversation: string;
  readonly tree: FlatTree;
  /** A step that somebody came for. */
  readonly sought?: number | undefined;
  /** Of more steps below one, so many are shown at first. */
  readonly rows?: number;
  /** Nobody works on it, whatever was recorded last. */
  readonly isLost?: boolean;
}

/** A run as it works: who, how far, and every step. Once it has ended well it is one line. */
export function RunCard({
  run,
  conversation,
  tree,
  sought,
  rows = 60,
  isLost = false,
}: CardProps): ReactNode {
  const level = useSetting(verbosity);
  const folding = useMemo(() => new Folding(), []);
  const goTo = useGoTo(run, folding);
  const view: RunView = useMemo(
    () => ({ run, conversation, folding, verbosity: level, rows, goTo }),
    [run, conversation, folding, level, rows, goTo],
  );
  const summary = useMemo(() => summaryOf(tree), [tree]);
  const card = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useRunOpening(card, tree, sought);
  useEffect(() => {
    if (sought !== undefined && tree.steps.length > 0) goTo(sought);
  }, [sought, tree.steps.length > 0, goTo]);
  useAnnouncements(tree);
  if (!isOpen || (level === 'answer' && tree.approvals.every(({ status }) => status !== 'undecided')))
    return <FoldedRun tree={tree} summary={summary} open={() => setOpen(true)} />;
  return (
    <RunViewContext value={view}>
      <section
        ref={card}
        className="card run"
        aria-label={visible(tree.title)}
        aria-busy={tree.status === 'running'}
        data-run={run.run}
        data-status={tree.status}
      >
        <Head
          run={run}
          tree={tree}
          summary={summary}
          isLost={isLost}
          fold={tree.endedAt === undefined ? undefined : () => setOpen(false)}
        />
        <Strip top={summary.top} done={summary.done} />
        <Ribbon run={run} tree={tree} />
        {tree.steps.length === 0 && tree.endedAt === undefined && !isLost && <Thinking />}
        <StepTree run={run} step={StepCard} list={StepList} />
        <EndNotes run={run} tree={tree} />
      </section>
    </RunViewContext>
  );
}

/** Opens all that is around a step and brings it into view. */
function useGoTo(run: RunStore, folding: Folding): (step: number) => void {
  return useCallback(
    (id: number) => {
      for (let at = run.step(id).getSnapshot(); at && at.id !== 0; at = run.step(at.parent).getSnapshot())
        folding.touch(at.id, true);
      setTimeout(() => {
        const row = document.getElementById(`${run.run}.${id}`);
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector<HTMLElement>('.hit')?.focus({ preventScroll: true });
      }, 60);
    },
    [run, folding],
  );
}

/** Open while it works and where it failed; folded some time after a good end, unless somebody touched it. */
function useRunOpening(
  card: RefObject<HTMLElement | null>,
  tree: FlatTree,
  sought: number | undefined,
): [boolean, (isOpen: boolean) => void] {
  const hasFailed = tree.steps.some(({ parent, status }) => parent === 0 && status === 'failed');
  const isEnded = tree.endedAt !== undefined && tree.status !== 'failed' && !hasFailed;
  const wasEnded = tree.endedAt !== undefined && Date.now() - tree.endedAt > lingering;
  const [touched, touch] = useState<boolean | undefined>(sought === undefined ? undefined : true);
  const [lingers, setLingers] = useState(!wasEnded);
  useEffect(() => {
    if (!isEnded) return undefined;
    const folding = setTimeout(
      () => foldGently(card.current, () => setLingers(false)),
      wasEnded ? 0 : lingering,
    );
    return () => clearTimeout(folding);
  }, [isEnded, wasEnded]);
  return [touched ?? (!isEnded || lingers), touch];
}

/** Tells whoever listens what begins and how it ends. */
function useAnnouncements(tree: FlatTree): void {
  const t = useTexts();
  const last = tree.steps.findLast(({ status }) => status === 'running')?.title;
  const isOver = tree.endedAt !== undefined;
  const [wasOver] = useState(isOver);
  useEffect(() => {
    if (!wasOver && last !== undefined && !isOver) announce(t.announce.step(visible(last)));
  }, [last]);
  useEffect(() => {
    if (!wasOver && isOver) announce(t.announce.ended(t.status[tree.status]));
  }, [isOver]);
}

function Head({
  run,
  tree,
  summary,
  isLost,
  fold,
}: {
  readonly run: RunStore;
  readonly tree: FlatTree;
  readonly summary: Summary;
  readonly isLost: boolean;
  readonly fold: (() => void) | undefined;
}): ReactNode {
  const t = useTexts();
  const calls = beginningOf(run.entries())?.limits.calls;
  const status = isLost ? 'lost' : tree.status;
  const words = tree.stopping === true ? t.chat.stopping : t.status[status];
  return (
    <header>
      <span className={`state-word ${status}`}>
        <StatusMark status={status} />
        {status === 'running' && tree.stopping !== true ? t.run.working : words}
      </span>
      <Agents agents={summary.agents} />
      <span className="figures num">
        <span>{t.run.steps(summary.done, summary.top.length)}</span>
        {summary.tools > 0 && <span className="wide-only">{t.run.toolCount(summary.tools)}</span>}
        {calls !== undefined && <span className="wide-only">{t.run.budgetOf(tree.spent.calls, calls)}</span>}
        {!isLost && (
          <span className={tree.endedAt === undefined ? 'ticking' : ''}>
            <Elapsed from={tree.startedAt ?? undefined} to={tree.endedAt} />
          </span>
        )}
        {fold && (
          <button
            type="button"
            className="button ghost small square"
            aria-label={t.data.close}
            aria-expanded
            onClick={fold}
          >
            <ChevronRight className="icon small open" aria-hidden />
          </button>
        )}
      </span>
    </header>
  );
}

function Agents({ agents }: Pick<Summary, 'agents'>): ReactNode {
  return (
    <span className="agents">
      {agents.map(({ agent, title }) => (
        <span key={agent} title={visible(title)}>
          <AgentMark agent={agent} title={title} />
          <span className="unseen">{visible(title)}</span>
        </span>
      ))}
    </span>
  );
}

/** One piece for each step of the run. */
function Strip({ top, done }: Pick<Summary, 'top' | 'done'>): ReactNode {
  const t = useTexts();
  return (
    <div className="strip" role="img" aria-label={t.run.steps(done, top.length)}>
      {top.slice(0, 60).map(({ id, status }) => (
        <i key={id} className={status} />
      ))}
    </div>
  );
}

export function Thinking(): ReactNode {
  const t = useTexts();
  return (
    <p className="thinking quiet" role="status">
      <Dots /> {t.chat.thinking}
    </p>
  );
}

/** How it stands, where it does not work: paused, stopped, refused. */
function EndNotes({ run, tree }: { readonly run: RunStore; readonly tree: FlatTree }): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const connection = useSource(run.connection);
  const refused = connection.is === 'refused' ? connection.failure : undefined;
  return (
    <>
      {tree.status === 'paused' && (
        <p className="note">
          <CirclePause className="icon small" aria-hidden />
          {t.run.pausedBy(visible(askedBy(run.entries(), 'run.paused') ?? ''))}
          <button type="button" className="linkish" onClick={() => void client.resume(run.run)}>
            {t.chat.resume}
          </button>
        </p>
      )}
      {tree.status === 'stopped' && (
        <p className="note">
          <Square className="icon small" aria-hidden />
          {t.run.stoppedBy(visible(askedBy(run.entries(), 'stop.requested') ?? ''))}
        </p>
      )}
      {refused && <p className="fail">{visible(refused.message)}</p>}
    </>
  );
}

/** A run that has ended, in one line above its answer. */
function FoldedRun({
  tree,
  summary: { agents, atOnce },
  open,
}: {
  readonly tree: FlatTree;
  readonly summary: Summary;
  readonly open: () => void;
}): ReactNode {
  const t = useTexts();
  const failed = tree.steps.filter(({ status }) => status === 'failed').length;
  const names = agents.map(({ title }) => visible(title));
  const listed =
    names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${t.run.and} ${names.at(-1)}`;
  const worked =
    names.length === 0 ? '' : `${t.run.worked(listed, names.length > 1, atOnce && names.length > 1)} · `;
  return (
    <button
      type="button"
      className={`folded ${tree.status}`}
      aria-expanded={false}
      onClick={open}
      data-status={tree.status}
    >
      <StatusMark status={tree.status} />
      <span className="unseen">{t.status[tree.status]}:</span>
      <Agents agents={agents} />
      <span className="cut grow">
        {worked}
        {t.run.stepCount(tree.steps.length)}
        {failed > 0 && ` · ${t.run.failedCount(failed)}`}
        {tree.status === 'stopped' && ` · ${t.run.stoppedShort}`}
      </span>
      <span className="quiet num">
        <Elapsed from={tree.startedAt ?? undefined} to={tree.endedAt} />
      </span>
      <ChevronRight className="icon small quiet" aria-hidden />
    </button>
  );
}
