import { ChevronRight, Compass } from 'lucide-react';
import { memo, type CSSProperties, type ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { AgentMark } from '../steps/agent-mark.tsx';
import { StatusMark } from '../steps/status-mark.tsx';
import { argumentWords, firstWords, isTool } from '../steps/words.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { Bar } from './bar.tsx';
import type { Piece, Scale } from './pieces.ts';
import type { TraceRow } from './rows.ts';

/** Further in than this nothing is moved to the right. */
const deepest = 12;

export interface RowDrawing {
  readonly row: TraceRow;
  readonly pieces: readonly Piece[];
  /** How long it has worked at the moment that is shown. Milliseconds. */
  readonly took: number | undefined;
  readonly scale: Scale;
  readonly isSelected: boolean;
  readonly isCritical: boolean;
  readonly top: number;
  readonly choose: (id: number) => void;
  readonly fold: (id: number) => void;
}

/** One line: the step on the left, its time on the right. */
export const TraceRowLine = memo(function TraceRowLine(drawing: RowDrawing): ReactNode {
  const { row, pieces, took, scale, isSelected, isCritical, top, choose, fold } = drawing;
  const t = useTexts();
  const format = formatIn(useLanguage());
  const isSilent = hasSaidNothing(row);
  const hasBelow = row.below > 0;
  const place = { top, '--depth': Math.min(deepest, row.depth) } as CSSProperties;
  return (
    <div
      id={`row-${row.id}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isSelected}
      aria-expanded={hasBelow ? !row.isFolded : undefined}
      className={`trace-row ${row.status}${row.isAside ? ' aside' : ''}`}
      style={place}
      data-row={row.id}
      data-status={row.status}
      data-silent={isSilent || undefined}
      onClick={() => choose(row.id)}
    >
      <div className="trace-name">
        <span
          className="twist"
          onClick={(event) => {
            event.stopPropagation();
            fold(row.id);
          }}
        >
          {hasBelow && <ChevronRight className={row.isFolded ? 'icon' : 'icon open'} aria-hidden />}
        </span>
        <StatusMark status={row.status} />
        <span className="unseen">{t.status[row.status]}:</span>
        <Name row={row} />
        <span className="what cut grow">{isSilent ? t.trace.firstToken : whatOf(row)}</span>
        {row.step && row.step.attempt > 1 && (
          <span className="quiet num attempt">{t.step.attempt(row.step.attempt)}</span>
        )}
        <span className="time num">{took === undefined ? '' : format.duration(took)}</span>
      </div>
      <div className="trace-time" aria-hidden>
        <Bar pieces={pieces} scale={scale} isFailed={row.status === 'failed'} isCritical={isCritical} />
        {row.status === 'pending' && <span className="trace-note">{t.trace.planned}</span>}
      </div>
    </div>
  );
});

/** Asked, and nothing said yet at the moment that is shown, whatever came later. */
function hasSaidNothing({ status, below, step }: TraceRow): boolean {
  if (status !== 'running' || below > 0 || step?.kind !== 'turn') return false;
  const { text, thinking, arguments: written, log, calls, items } = step;
  return (text ?? thinking ?? written ?? log ?? calls ?? items) === undefined;
}

function Name({ row: { id, title, step } }: { readonly row: TraceRow }): ReactNode {
  if (id === 0 || !step)
    return (
      <>
        <Compass className="icon small" aria-hidden />
        <span className="name cut">{visible(title)}</span>
      </>
    );
  if (isTool(step)) return <span className="tool cut">{visible(title)}</span>;
  const { kind, agent, model } = step;
  const look =
    kind === 'route' || kind === 'answer' ? 'coordinator' : model === undefined ? 'agent' : 'model';
  return (
    <>
      {(agent !== undefined || look !== 'agent') && (
        <AgentMark agent={agent ?? title} title={title} look={look} />
      )}
      <span className="name cut">{visible(title)}</span>
    </>
  );
}

function whatOf({ step }: TraceRow): string {
  if (!step) return '';
  if (step.failure) return visible(step.failure.message);
  if (isTool(step)) return argumentWords(step.call?.arguments as never);
  return firstWords(step.query ?? '') || visible(step.model ?? '');
}
