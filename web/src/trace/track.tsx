import { Zap } from 'lucide-react';
import { useMemo, useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import type { Entry, RunStore } from '../../../src/client/client.ts';
import { formatIn } from '../format.ts';
import { StatusMark } from '../steps/status-mark.tsx';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { densityOf, entryAt, indexOfEntry } from './playhead.ts';
import { scaleOf, type Scale } from './pieces.ts';
import type { Mark, Timing } from './timing.ts';
import type { Replay } from './use-replay.ts';

export interface Scrubbing {
  readonly run: RunStore;
  readonly timing: Timing;
  readonly head: number;
  readonly at: number | undefined;
  readonly replay: Replay;
}

/** The whole of the run: how much happened when, what one wants to get to, and what is shown. */
export function Track({ run, timing, head, at, replay }: Scrubbing): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const line = useRef<HTMLDivElement>(null);
  const entries = run.entries();
  const begin = timing.begin ?? 0;
  const scale = scaleOf(begin, timing.end);
  const shown = at ?? head;
  const moment = entries[indexOfEntry(entries, shown)]?.at ?? timing.end;
  const point = (event: PointerEvent): void => {
    const box = line.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    replay.seek(entryAt(entries, begin + part * scale.length));
  };
  return (
    <div
      ref={line}
      className="scrub-track"
      role="slider"
      tabIndex={0}
      aria-label={t.trace.moment}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, head)}
      aria-valuenow={Math.max(1, shown)}
      aria-valuetext={`#${shown}, ${format.duration(moment - begin)}`}
      onKeyDown={(event) => hear(event, replay, head)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        point(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && point(event)}
    >
      <Density entries={entries} head={head} until={scale.place(moment)} />
      {shownMarks(timing.marks).map((mark) => (
        <Marked key={mark.seq} mark={mark} scale={scale} />
      ))}
      <i className="scrub-head" style={{ left: `${100 * scale.place(moment)}%` }} />
    </div>
  );
}

function hear(event: KeyboardEvent, replay: Replay, head: number): void {
  const leap = Math.max(1, Math.round(head / 20));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    PageDown: -leap,
    ArrowRight: 1,
    ArrowUp: 1,
    PageUp: leap,
  };
  const by = moves[event.key];
  if (by !== undefined) replay.move(by);
  else if (event.key === 'Home') replay.seek(1);
  else if (event.key === 'End') replay.seek();
  else if (event.key === ' ') replay.play(!replay.isPlaying);
  else return;
  event.preventDefault();
}

const mostMarks = 60;

function shownMarks(marks: readonly Mark[]): readonly Mark[] {
  return marks.length > mostMarks ? marks.filter(({ is }) => is !== 'decided').slice(0, mostMarks) : marks;
}

function Marked({ mark: { is, at }, scale }: { readonly mark: Mark; readonly scale: Scale }): ReactNode {
  const status = { failure: 'failed', asked: 'waiting', decided: 'completed', takeover: 'lost' } as const;
  return (
    <span
      className={`scrub-mark ${status[is]}`}
      style={{ left: `${100 * scale.place(at)}%` }}
      data-mark={is}
      aria-hidden
    >
      {is === 'takeover' ? <Zap className="icon mark" /> : <StatusMark status={status[is]} />}
    </span>
  );
}

const bins = 180;

/** How much happened when: one shape for the whole run, cut in two where the moment is that is shown. */
function Density({
  entries,
  head,
  until,
}: {
  readonly entries: readonly Entry[];
  readonly head: number;
  readonly until: number;
}): ReactNode {
  const shape = useMemo(() => shapeOf(densityOf(entries, bins)), [entries, head]);
  const past = bins * until;
  return (
    <svg viewBox={`0 0 ${bins} 1`} preserveAspectRatio="none" aria-hidden>
      <svg width={past} height={1}>
        <path className="past" d={shape} />
      </svg>
      <svg x={past} width={bins - past} height={1} viewBox={`${past} 0 ${bins - past} 1`}>
        <path className="to-come" d={shape} />
      </svg>
    </svg>
  );
}

function shapeOf(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  return counts
    .map((count, i) => (count === 0 ? '' : `M${i + 0.15} 1v${-0.08 - 0.92 * Math.sqrt(count / most)}h.7V1z`))
    .join('');
}
