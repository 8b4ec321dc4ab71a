import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react';
import type { FlatTree } from '../../../src/client/client.ts';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useNarrow } from '../use-narrow.ts';
import { placed } from './bar.tsx';
import { spansBelow } from './below.ts';
import { criticalPath } from './critical-path.ts';
import { piecesOf, ticksOf, type Piece, type Scale } from './pieces.ts';
import type { TraceRow } from './rows.ts';
import type { Timing } from './timing.ts';
import { TraceRowLine } from './trace-row.tsx';

const rowHeight = 29;
/** Where the bar stands below the name. */
const tallRow = 48;

export interface Grid {
  readonly tree: FlatTree;
  readonly timing: Timing;
  readonly rows: readonly TraceRow[];
  readonly scale: Scale;
  /** The moment that is shown, where that is not the newest. */
  readonly playhead: number | undefined;
  readonly until: number;
  readonly selected: number;
  readonly isCriticalShown: boolean;
  readonly choose: (id: number) => void;
  readonly fold: (id: number, isFolded?: boolean) => void;
}

/** Tree and waterfall: one line for each step, one scroll for both. */
export function TraceGrid(grid: Grid): ReactNode {
  const { tree, timing, rows, scale, playhead, until, selected, isCriticalShown, choose, fold } = grid;
  const t = useTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const height = useNarrow('column') ? tallRow : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    useFlushSync: false,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  useIntoView(rows, selected, (index) => virtual.scrollToIndex(index, { align: 'auto' }));
  const critical = useCritical(tree, timing, isCriticalShown ? until : undefined);
  return (
    <div
      className="trace-grid"
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label={t.trace.steps}
      aria-activedescendant={`row-${selected}`}
      onKeyDown={(event) => hear(event, grid)}
    >
      <div className="trace-rows" style={{ height: virtual.getTotalSize() }} role="presentation">
        <Ground timing={timing} scale={scale} />
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return undefined;
          const isCritical = row.below === 0 && critical.has(row.id);
          const pieces = piecesIn(grid, row);
          return (
            <TraceRowLine
              key={row.id}
              {...{ row, pieces, scale, isCritical, choose, fold }}
              took={tookIn(grid, row)}
              top={start}
              isSelected={row.id === selected}
            />
          );
        })}
        {playhead !== undefined && <Veil scale={scale} playhead={playhead} />}
      </div>
    </div>
  );
}

const ownWork = { kind: 'run', title: '' };

const drawn = new WeakMap<TraceRow, { readonly until: number; readonly pieces: readonly Piece[] }>();

/** What has not ended at the moment that is shown is drawn as far as it came later: that part is veiled. */
function piecesIn(grid: Grid, row: TraceRow): readonly Piece[] {
  const { until } = grid;
  const was = drawn.get(row);
  if (was?.until === until) return was.pieces;
  const pieces = piecesNow(grid, row);
  drawn.set(row, { until, pieces });
  return pieces;
}

function piecesNow({ tree, timing, until }: Grid, { id, step, status }: TraceRow): Piece[] {
  const times = status === 'pending' ? undefined : timing.steps.get(id);
  const own = timing.steps.get(0);
  const below = id === 0 && own?.opened !== undefined ? [{ from: own.opened }] : spansBelow(tree, timing)(id);
  return piecesOf(step ?? ownWork, times, { below, until });
}

function tookIn({ timing, until, playhead = until }: Grid, { id, status }: TraceRow): number | undefined {
  const { opened, closed = until } = timing.steps.get(id) ?? {};
  return opened === undefined || status === 'pending'
    ? undefined
    : Math.max(0, Math.min(closed, playhead) - opened);
}

/** Keeps the line that is chosen on the screen, wherever it moves to. */
function useIntoView(rows: readonly TraceRow[], selected: number, show: (index: number) => void): void {
  const index = useMemo(() => rows.findIndex(({ id }) => id === selected), [rows, selected]);
  const isThere = index >= 0;
  useEffect(() => {
    if (isThere) show(index);
  }, [selected, isThere]);
}

function useCritical(tree: FlatTree, timing: Timing, until: number | undefined): ReadonlySet<number> {
  const isLive = !timing.isOver;
  return useMemo(() => {
    if (until === undefined) return none;
    return criticalPath(
      tree.steps.flatMap(({ id, parent }) => {
        const { opened, closed } = timing.steps.get(id) ?? {};
        return opened === undefined ? [] : [{ id, parent, from: opened, to: closed ?? until }];
      }),
    );
  }, [tree, timing, until === undefined, isLive]);
}
const none: ReadonlySet<number> = new Set();

function hear(event: KeyboardEvent, { rows, selected, choose, fold }: Grid): void {
  const index = rows.findIndex(({ id }) => id === selected);
  const row = rows[index];
  const go = (to: number): void => {
    const there = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (there) choose(there.id);
  };
  const does: Readonly<Record<string, () => void>> = {
    ArrowDown: () => go(index + 1),
    ArrowUp: () => go(index - 1),
    PageDown: () => go(index + 15),
    PageUp: () => go(index - 15),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    ArrowRight: () => row && row.below > 0 && (row.isFolded ? fold(row.id, false) : go(index + 1)),
    ArrowLeft: () =>
      row && row.below > 0 && !row.isFolded
        ? fold(row.id, true)
        : row && go(rows.findIndex(({ id }) => id === row.parent)),
  };
  const act = does[event.key];
  if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  act();
}

/** What lies behind all lines: the seconds, and where nobody worked. */
function Ground({ timing, scale }: Pick<Grid, 'timing' | 'scale'>): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  return (
    <div className="trace-ground" aria-hidden>
      {ticksOf(scale.length).map((tick) => (
        <i key={tick} className="trace-tick" style={{ left: `${(100 * tick) / scale.length}%` }} />
      ))}
      {timing.gaps.map(({ from, to }) => (
        <div key={from} className="trace-gap" style={placed(scale, from, to)} data-gap>
          <span>{t.trace.away(format.duration(to - from))}</span>
        </div>
      ))}
    </div>
  );
}

/** What comes after the moment that is shown. */
function Veil({ scale, playhead }: { readonly scale: Scale; readonly playhead: number }): ReactNode {
  return (
    <div className="trace-over" aria-hidden>
      <div className="trace-veil" style={{ left: `${100 * scale.place(playhead)}%` }} />
      <div className="trace-playhead" style={{ left: `${100 * scale.place(playhead)}%` }} />
    </div>
  );
}
