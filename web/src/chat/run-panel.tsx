import { ListTree, X } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { FlatStep, FlatTree, RunStore } from '../../../src/client/client.ts';
import { useRun } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { DataChip } from '../data/data-chips.tsx';
import { formatIn } from '../format.ts';
import { addressOf, Link } from '../routing.tsx';
import { AgentMark } from '../steps/agent-mark.tsx';
import { Elapsed } from '../steps/elapsed.tsx';
import { isSame } from '../steps/merged.ts';
import { StatusMark } from '../steps/status-mark.tsx';
import { isLive, isTool } from '../steps/words.ts';
import { useNow } from '../ticking.ts';
import { timeFigures } from '../trace/figures.ts';
import { timingOf } from '../trace/timing.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { beginningOf, summaryOf, type Summary } from './summary.ts';
import { useTree } from './use-tree.ts';

/** The newest run at a glance: its outline, where the time went, what was found, what may still be used. */
export function RunPanel({
  run: name,
  close,
}: {
  readonly run: string;
  readonly close: () => void;
}): ReactNode {
  const t = useTexts();
  const run = useRun(name);
  const tree = useTree(run);
  const summary = useMemo(() => summaryOf(tree), [tree]);
  return (
    <aside className="panel" aria-label={t.run.panel}>
      <div className="bar">
        <h2 className="bar-title">{t.run.panel}</h2>
        <span className="quiet mono">#{tree.seq}</span>
        <span className="grow" />
        <Link to={addressOf.run(name)} className="button ghost small">
          <ListTree className="icon small" aria-hidden />
          {t.run.trace}
        </Link>
        <button
          type="button"
          className="button ghost small square"
          aria-label={t.run.closePanel}
          onClick={close}
        >
          <X className="icon" aria-hidden />
        </button>
      </div>
      <div className="panel-content" tabIndex={0} role="group" aria-label={t.run.panel}>
        <Figures tree={tree} summary={summary} />
        <TimeSplit run={run} tree={tree} />
        <Outline run={run} tree={tree} />
        <FoundSoFar tree={tree} />
        <Budget run={run} tree={tree} />
      </div>
    </aside>
  );
}

function Figures({ tree, summary }: { readonly tree: FlatTree; readonly summary: Summary }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  return (
    <dl className="figures-list">
      <div>
        <dt>{t.run.elapsed}</dt>
        <dd>
          <Elapsed from={tree.startedAt ?? undefined} to={tree.endedAt} />
        </dd>
      </div>
      <div>
        <dt>{t.run.tokens}</dt>
        <dd>{format.count(tree.spent.tokens)}</dd>
      </div>
      <div>
        <dt>{t.run.repeats}</dt>
        <dd>{format.count(summary.reused)}</dd>
      </div>
    </dl>
  );
}

/** Reckoned as in the trace, until now. */
function TimeSplit({ run, tree }: { readonly run: RunStore; readonly tree: FlatTree }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const timing = timingOf(run);
  const isTicking = tree.status === 'running' || tree.status === 'waiting';
  const until = Math.max(useNow(isTicking), timing.end);
  const { model, tool, person, wall } = timeFigures(tree, timing, until);
  const parts = [
    { name: t.run.models, look: 'time-model', took: model },
    { name: t.run.tools, look: 'time-tool', took: tool },
    { name: t.run.you, look: 'time-person', took: person },
  ].filter(({ took }) => took > 50);
  if (parts.length === 0) return undefined;
  const told = parts.map(({ name, took }) => `${name} ${format.duration(took)}`).join(', ');
  return (
    <section>
      <h3>{t.run.time}</h3>
      <div className="split" role="img" aria-label={told}>
        {parts.map(({ look, took }) => (
          <i key={look} className={look} style={{ flexGrow: took }} />
        ))}
      </div>
      {model + tool + person > wall + 100 && <p className="quiet text-[12px]">{t.run.countedEach}</p>}
      <div className="key num">
        {parts.map(({ name, look, took }) => (
          <span key={look}>
            <i className={look} />
            {name} {format.duration(took)}
          </span>
        ))}
      </div>
    </section>
  );
}

function Outline({ run, tree }: { readonly run: RunStore; readonly tree: FlatTree }): ReactNode {
  const t = useTexts();
  const below = useMemo(() => Map.groupBy(tree.steps, ({ parent }) => parent), [tree]);
  const top = below.get(0) ?? [];
  if (top.length === 0) return undefined;
  return (
    <section className="plan">
      <h3>{t.run.plan}</h3>
      {top.slice(-40).map((step) => (
        <div key={step.id}>
          <OutlineRow run={run} step={step} below={below} />
          {isLive(step.status) && (
            <div className="kids">
              {shownBelow(step, below)
                .slice(-12)
                .map((one) => (
                  <OutlineRow key={one.id} run={run} step={one} below={below} />
                ))}
            </div>
          )}
        </div>
      ))}
    </section>
  );
}

type Below = ReadonlyMap<number, readonly FlatStep[]>;

/** What stands below a step in the thread: not the turn that is drawn with it. */
function shownBelow(step: FlatStep, below: Below): readonly FlatStep[] {
  const own = below.get(step.id) ?? [];
  const [only] = own;
  return own.length === 1 && only && isSame(step, only) ? (below.get(only.id) ?? []) : own;
}

function OutlineRow({
  run,
  step,
  below,
}: {
  readonly run: RunStore;
  readonly step: FlatStep;
  readonly below: Below;
}): ReactNode {
  const t = useTexts();
  const waits = (below.get(step.id) ?? []).some(({ status }) => status === 'waiting');
  const status = step.status === 'running' && waits ? 'waiting' : step.status;
  const look =
    step.kind === 'route' || step.kind === 'answer'
      ? 'coordinator'
      : step.model === undefined
        ? 'agent'
        : 'model';
  return (
    <button
      type="button"
      className={`row ${status}${isLive(step.status) ? ' now' : ''}`}
      onClick={() =>
        document
          .getElementById(`${run.run}.${step.id}`)
          ?.scrollIntoView({ block: 'center', behavior: 'smooth' })
      }
    >
      <StatusMark status={status} />
      <span className="unseen">{t.status[status]}:</span>
      {isTool(step) ? (
        <span className="tool cut">{visible(step.title)}</span>
      ) : (
        <>
          {(step.agent !== undefined || look !== 'agent') && (
            <AgentMark agent={step.agent ?? step.title} title={step.title} look={look} />
          )}
          <span className="name cut">{visible(step.title)}</span>
        </>
      )}
      <span className="time num">
        {status !== 'pending' && (
          <Elapsed from={step.openedAt} to={step.closedAt} isWaiting={status === 'waiting'} />
        )}
      </span>
    </button>
  );
}

function FoundSoFar({ tree }: { readonly tree: FlatTree }): ReactNode {
  const t = useTexts();
  const found = tree.steps.flatMap(({ items = [], title }) =>
    items.flatMap((item) => (item.kind === 'visualization' ? [{ item, title }] : [])),
  );
  if (found.length === 0) return undefined;
  return (
    <section>
      <h3>{t.run.found}</h3>
      <div className="chips">
        {found.slice(0, 12).map(({ item, title }, i) => (
          <DataChip key={i} item={item} title={title} />
        ))}
      </div>
    </section>
  );
}

function Budget({
  run,
  tree: { spent, seq },
}: {
  readonly run: RunStore;
  readonly tree: FlatTree;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const limits = seq > 0 ? beginningOf(run.entries())?.limits : undefined;
  if (!limits) return undefined;
  const rows = [
    { name: t.run.calls, spent: spent.calls, most: limits.calls, show: format.short },
    { name: t.run.turns, spent: spent.turns, most: limits.turns, show: format.short },
    { name: t.run.tokens, spent: spent.tokens, most: limits.tokens, show: format.short },
    {
      name: t.run.timeLeft,
      spent: spent.milliseconds,
      most: limits.seconds === undefined ? undefined : limits.seconds * 1_000,
      show: format.duration,
    },
  ].flatMap(({ most, ...row }) => (most === undefined ? [] : [{ ...row, most }]));
  if (rows.length === 0) return undefined;
  return (
    <section>
      <h3>{t.run.budget}</h3>
      <div className="budget num">
        {rows.map(({ name, spent: used, most, show }) => (
          <div className="contents" key={name}>
            <span>{name}</span>
            <span className="meter" aria-hidden>
              <i style={{ width: `${Math.min(100, (100 * used) / most)}%` }} />
            </span>
            <span>{t.run.of(show(used), show(most))}</span>
          </div>
        ))}
      </div>
    </section>
  );
}
