import { ChevronRight } from 'lucide-react';
import { memo, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { FlatStep, RunStore } from '../../../src/client/client.ts';
import { StepTree, useSource, type StepProps } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { DataChips } from '../data/data-chips.tsx';
import { useTexts, type Texts } from '../texts/texts.ts';
import { AgentMark } from './agent-mark.tsx';
import { Elapsed } from './elapsed.tsx';
import { foldGently } from './fold-gently.ts';
import { useMerged, type MergedStep } from './merged.ts';
import { useRunView, type Verbosity } from './run-view.tsx';
import { shownStatus } from './shown-status.ts';
import { StatusMark, type Status } from './status-mark.tsx';
import { hasBody, StepBody } from './step-body.tsx';
import { StepList, useLane } from './step-list.tsx';
import { argumentWords, firstWords, isLive, isTool, meaningOf, stageArguments } from './words.ts';

/** A finished branch folds after so long. Milliseconds. */
const lingering = 1_500;
/** From here on rows name their parent instead of standing further in. */
const deepest = 5;

/** One step: a line, and what it says and does below it while it is open. */
export const StepCard = memo(function StepCard({ run, id, depth }: StepProps): ReactNode {
  const merged = useMerged(run, id);
  const { folding, verbosity } = useRunView();
  const status = merged ? statusOf(run, merged) : 'pending';
  const touched = useSource(folding.of(id));
  const hasFailed = status === 'failed' || (merged?.hasBelow === true && hasFailure(run, merged.below));
  const card = useRef<HTMLDivElement>(null);
  const isOpenByItself = useOpening(card, status, hasFailed);
  if (!merged) return undefined;
  const isFoldable = merged.hasBelow || hasBody(merged, verbosity);
  const isOpen = isFoldable && (touched ?? isOpenByItself);
  return (
    <div className="step" id={`${run.run}.${id}`} data-step={id} data-status={status} ref={card}>
      <Row merged={merged} status={status} depth={depth} isOpen={isOpen} isFoldable={isFoldable} />
      {isOpen && <StepBody merged={merged} status={status} />}
      {isOpen && merged.hasBelow && (
        <StepTree run={run} step={StepCard} list={StepList} below={merged.below} depth={depth + 1} />
      )}
    </div>
  );
});

/** A step waits for a person when the turn within it does. */
function statusOf(run: RunStore, { step, said }: MergedStep): FlatStep['status'] {
  if (step.status === 'running' && said.status === 'waiting') return 'waiting';
  return shownStatus(step, (id) => stepsIn(run, id));
}

function stepsIn(run: RunStore, id: number): FlatStep[] {
  return run
    .below(id)
    .getSnapshot()
    .flatMap((one) => run.step(one).getSnapshot() ?? []);
}

/** What works, waits or has failed, or has in it what did, is open; what has ended well stays so for a moment. */
function useOpening(card: RefObject<HTMLElement | null>, status: Status, hasFailed: boolean): boolean {
  const isShown = hasFailed || (status !== 'lost' && isLive(status as FlatStep['status']));
  const [lingers, setLingers] = useState(isShown);
  useEffect(() => {
    if (isShown) {
      setLingers(true);
      return undefined;
    }
    if (!lingers) return undefined;
    const folding = setTimeout(() => foldGently(card.current, () => setLingers(false)), lingering);
    return () => clearTimeout(folding);
  }, [isShown]);
  return isShown || lingers;
}

interface RowProps {
  readonly merged: MergedStep;
  readonly status: Status;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly isFoldable: boolean;
}

function Row({ merged, status, depth, isOpen, isFoldable }: RowProps): ReactNode {
  const t = useTexts();
  const { run, folding, verbosity } = useRunView();
  const { step, said } = merged;
  const name = visible(step.title);
  const what = whatOf(merged, status, t);
  const label = `${t.status[status]}: ${name} ${what}`.trim();
  return (
    <div className={`row ${status}${isOpen ? ' open' : ''}`}>
      <StatusMark status={status} />
      {isFoldable ? (
        <button
          type="button"
          className="hit"
          aria-expanded={isOpen}
          aria-label={label}
          onClick={() => folding.touch(step.id, !isOpen)}
        />
      ) : (
        <span className="unseen">{t.status[status]}:</span>
      )}
      {depth >= deepest && <Crumb parent={step.parent} />}
      <Name step={step} verbosity={verbosity} />
      <span className="what cut grow">{what}</span>
      {!isOpen && merged.hasBelow && !isLive(step.status) && (
        <span className="quiet num fold-count">{t.run.stepCount(stepsBelow(run, merged.below))}</span>
      )}
      {step.attempt > 1 && <span className="quiet num text-[12px]">{t.step.attempt(step.attempt)}</span>}
      <JumpChip step={step} />
      <DataChips run={run.run} step={said} />
      <Lane step={step} status={status} />
      <span className="time num">
        <RowTime merged={merged} status={status} />
      </span>
      {isFoldable ? (
        <ChevronRight className="icon chevron" aria-hidden />
      ) : (
        <span className="chevron" aria-hidden />
      )}
    </div>
  );
}

/** Whether anything in a branch failed. What was tried again and done after all counts too: somebody may want to know. */
function hasFailure(run: RunStore, id: number): boolean {
  return stepsIn(run, id).some(
    (step) => shownStatus(step, (one) => stepsIn(run, one)) === 'failed' || hasFailure(run, step.id),
  );
}

/** How many steps a branch that has ended folds away. */
function stepsBelow(run: RunStore, id: number): number {
  const below = run.below(id).getSnapshot();
  return below.reduce((sum, one) => sum + 1 + stepsBelow(run, one), 0);
}

function RowTime({ merged: { step, said }, status }: Pick<RowProps, 'merged' | 'status'>): ReactNode {
  if (status === 'pending' || status === 'skipped') return undefined;
  return (
    <Elapsed from={said.openedAt ?? step.openedAt} to={step.closedAt} isWaiting={status === 'waiting'} />
  );
}

function Name({ step, verbosity }: { readonly step: FlatStep; readonly verbosity: Verbosity }): ReactNode {
  const { kind, agent, title, model } = step;
  if (isTool(step)) return <span className="tool cut">{visible(title)}</span>;
  const look =
    kind === 'route' || kind === 'answer' ? 'coordinator' : model === undefined ? 'agent' : 'model';
  const hasMark = agent !== undefined || look !== 'agent';
  return (
    <>
      {hasMark && <AgentMark agent={agent ?? title} title={title} look={look} />}
      <span className="name cut">{visible(title)}</span>
      {verbosity === 'everything' && model !== undefined && (
        <span className="quiet mono cut">{visible(model)}</span>
      )}
    </>
  );
}

/** Where a row is deep, who stands above it. */
function Crumb({ parent }: { readonly parent: number }): ReactNode {
  const { run } = useRunView();
  const above = useSource(run.step(parent));
  return above ? <span className="quiet cut crumb">… › {visible(above.title)} ›</span> : undefined;
}

/** What it is about, in one line: what was asked while it works, what came of it afterwards. */
function whatOf({ step, said }: MergedStep, status: Status, t: Texts): string {
  if (status === 'reused' && step.reusedFrom !== undefined) return t.step.reusedFrom(step.reusedFrom);
  if (status === 'skipped') return visible(step.failure?.message ?? step.notices?.[0]?.message ?? '');
  if (isTool(step))
    return argumentWords(step.call?.arguments as never) || argumentWords(stageArguments(step.text ?? ''));
  const own = step.text ?? said.text ?? '';
  if (status === 'completed') {
    const words = firstWords(meaningOf(own));
    if (words !== '') return words;
  }
  const asked = firstWords(step.query ?? said.query ?? '');
  if (asked !== '') return asked;
  return status === 'running' && said.kind === 'turn' && own === '' ? t.step.querying : '';
}

function JumpChip({ step: { reusedFrom } }: { readonly step: FlatStep }): ReactNode {
  const t = useTexts();
  const { goTo } = useRunView();
  if (reusedFrom === undefined) return undefined;
  return (
    <button type="button" className="chip" onClick={() => goTo(reusedFrom)}>
      ↖ {t.step.jump(reusedFrom)}
    </button>
  );
}

/** How long it took beside the others of its group. */
function Lane({ step, status }: { readonly step: FlatStep; readonly status: Status }): ReactNode {
  const longest = useLane();
  if (longest === undefined) return undefined;
  const share =
    step.milliseconds === undefined ? 1 : Math.max(0.05, step.milliseconds / Math.max(1, longest));
  const width = status === 'pending' ? 0 : share;
  return (
    <span className="lane" aria-hidden>
      <i style={{ width: `${Math.round(100 * width)}%` }} />
    </span>
  );
}
