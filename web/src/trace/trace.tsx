import './trace.css';
import { useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { RunStore, Showing } from '../../../src/client/client.ts';
import { useRun } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { addressOf, navigate, useHere } from '../routing.tsx';
import { Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { MomentContext } from '../steps/elapsed.tsx';
import { useTexts } from '../texts/texts.ts';
import { useNow } from '../ticking.ts';
import { timeFigures } from './figures.ts';
import { Inspector } from './inspector.tsx';
import { Key } from './key.tsx';
import { momentOf } from './playhead.ts';
import { RecordedContext, type AddressAt } from './recorded.ts';
import { scaleOf } from './pieces.ts';
import { rowsOf, soughtIn, type TraceRow } from './rows.ts';
import { Scrubber } from './scrubber.tsx';
import { timingOf, type Timing } from './timing.ts';
import { TraceFigures } from './trace-figures.tsx';
import { TraceAbsent } from './trace-absent.tsx';
import { TraceBar } from './trace-bar.tsx';
import { TraceGrid, type Grid } from './trace-grid.tsx';
import { TraceHead } from './trace-head.tsx';
import { TraceHindered } from './trace-hindered.tsx';
import { useFolds } from './use-folds.ts';
import { useMoment, useReplay } from './use-replay.ts';

/** All that was recorded, whatever the app prefers to show in the chat. */
const everything: Showing = { stages: 'nested', names: '*', depth: '*' };
/** The address follows what is shown after so long. Milliseconds. */
const settling = 300;

interface Place {
  readonly run: string;
  readonly step?: number | undefined;
  readonly at?: number | undefined;
}

/** One run: every step, when it worked, and how it came about. */
export function Trace({ run: name, step = 0, at: startAt }: Place): ReactNode {
  const run = useRun(name, everything);
  const { tree, head, at, connection } = useMoment(run);
  const timing = timingOf(run);
  const replay = useReplay(run);
  const end = useEnd(timing, at === undefined && connection.is === 'live');
  const playhead = momentOf(run.entries(), at);
  const scale = useMemo(() => scaleOf(timing.begin ?? 0, end), [timing, timing.begin, end]);
  const [isOpen, setOpen] = useState(false);
  useSought(run, startAt);
  const addressAt = useAddress(run, { step, at });
  const choose = useCallback(
    (id: number) => {
      setOpen(true);
      navigate(addressAt(id, run.getSnapshot().at), { replace: true });
    },
    [addressAt, run],
  );
  useTitle(visible(tree.title));
  const times = timeFigures(tree, timing, playhead ?? end);
  if (head === 0) return <TraceAbsent connection={connection} />;
  return (
    <main
      className="screen trace"
      id="main"
      data-trace={name}
      data-inspects={isOpen}
      data-still={at !== undefined && !replay.isPlaying}
    >
      <TraceBar run={run} place={{ run: name, step, at }} title={tree.title} status={tree.status} />
      {connection.is === 'refused' && <Failed failure={connection.failure} />}
      <TraceHindered run={run} isOver={timing.isOver} />
      <TraceFigures run={run} tree={tree} times={times} />
      <div className="trace-columns">
        <Steps {...{ tree, timing, scale, playhead, choose }} until={end} selected={step} />
        <MomentContext value={playhead}>
          <Inspector
            {...{ run, tree, at, replay, choose }}
            step={step === 0 ? undefined : tree.steps.find(({ id }) => id === step)}
            times={timing.steps.get(step)}
            close={() => setOpen(false)}
          />
        </MomentContext>
      </div>
      <Scrubber {...{ run, timing, head, at, replay }} />
    </main>
  );
}

type Drawn = Omit<Grid, 'rows' | 'isCriticalShown' | 'fold'>;

/** Tree and waterfall, with what to look for above and what the bars mean below. */
function Steps(drawn: Drawn): ReactNode {
  const { tree, selected, scale } = drawn;
  const { folded, fold } = useFolds(tree, selected);
  const [text, setText] = useState('');
  const [isCriticalShown, showCritical] = useState(false);
  const sought = useMemo(() => soughtIn(text), [text]);
  const before = useRef<readonly TraceRow[]>([]);
  const rows = useMemo(() => rowsOf(tree, { folded, sought }, before.current), [tree, folded, sought]);
  before.current = rows;
  const found = sought.length === 0 ? undefined : rows.filter(({ isAside }) => !isAside).length;
  return (
    <div className="trace-left">
      <TraceHead {...{ scale, text, setText, found }}>
        <CriticalSwitch isOn={isCriticalShown} set={showCritical} />
      </TraceHead>
      <TraceGrid {...drawn} {...{ rows, isCriticalShown, fold }} />
      <Key />
    </div>
  );
}

/** Until when there is something to draw: what goes on does so until now. */
function useEnd(timing: Timing, isLive: boolean): number {
  const isTicking = isLive && timing.begin !== undefined && !timing.isOver;
  const now = useNow(isTicking);
  return isTicking ? Math.max(now, timing.end) : timing.end;
}

/** Whoever comes by a link to a moment is shown that one, also where the page is open already. */
function useSought(run: RunStore, at: number | undefined): void {
  useEffect(() => {
    if (at !== undefined && at !== run.getSnapshot().at) run.seek(at);
  }, [run, at]);
}

/** The address says what is shown, once it stands still. Whoever goes elsewhere by the address meanwhile is let go. */
function useAddress(run: RunStore, { step, at }: Omit<Place, 'run'>): AddressAt {
  const here = useHere();
  const recorded = useContext(RecordedContext);
  const addressAt = useMemo(
    () => recorded?.addressAt ?? ((...place) => addressOf.run(run.run, ...place)),
    [run, recorded],
  );
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const waiting = setTimeout(() => {
      setSettled(true);
      // Of what is not drawn yet the store knows already; an address that nobody has read yet is left alone.
      const there = new URL(addressAt(step || undefined, run.getSnapshot().at), here).href;
      if (isSettled && location.href === here && there !== here) navigate(there, { replace: true });
    }, settling);
    return () => clearTimeout(waiting);
  }, [run, addressAt, step, at, here, isSettled]);
  return addressAt;
}

function CriticalSwitch({
  isOn,
  set,
}: {
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
}): ReactNode {
  const t = useTexts();
  return (
    <button
      type="button"
      className="button ghost small"
      aria-pressed={isOn}
      onClick={() => set(!isOn)}
      data-critical
    >
      {t.trace.critical}
    </button>
  );
}
