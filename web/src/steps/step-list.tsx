import {
  createContext,
  useCallback,
  useContext,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { Zap } from 'lucide-react';
import type { RunStore } from '../../../src/client/client.ts';
import type { StepListProps } from '../../../src/react/react.ts';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { useGroups } from './groups.ts';
import { useRunView } from './run-view.tsx';
import { takeoversOf } from './takeovers.ts';

/** So many of the older ones come from behind their line at once. */
const atOnce = 200;

/** Milliseconds that the longest of a group took so far; a row in it draws how long it took beside that. */
const LaneContext = createContext<number | undefined>(undefined);
export function useLane(): number | undefined {
  return useContext(LaneContext);
}

/** The steps below one, in order: those that worked at once in a frame, and where another process went on, a line. */
export function StepList({ run, parent, ids, draw }: StepListProps): ReactNode {
  const t = useTexts();
  const [shown, setShown] = useState(useRunView().rows);
  const hidden = Math.max(0, ids.length - shown);
  const groups = useGroups(run, hidden > 0 ? ids.slice(hidden) : ids);
  return (
    <LaneContext value={undefined}>
      <div className={parent === 0 ? 'steps' : 'kids'} role="group">
        {hidden > 0 && (
          <button type="button" className="more" onClick={() => setShown(shown + atOnce)}>
            {t.run.moreDone(hidden)}
          </button>
        )}
        {groups.map((group) => (
          <Group key={group[0]} run={run} group={group} draw={draw} isTop={parent === 0} />
        ))}
        {parent === 0 && <TakeoverLine run={run} before={undefined} />}
      </div>
    </LaneContext>
  );
}

function Group({
  run,
  group,
  draw,
  isTop,
}: Pick<StepListProps, 'run' | 'draw'> & {
  readonly group: readonly number[];
  readonly isTop: boolean;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const { longest, whole } = useTimes(run, group);
  const line = isTop ? <TakeoverLine run={run} before={group[0]} /> : undefined;
  if (group.length === 1)
    return (
      <>
        {line}
        {group.map(draw)}
      </>
    );
  return (
    <>
      {line}
      <div className="group" role="group" aria-label={t.run.parallel(group.length)}>
        <div className="group-head">
          {t.run.parallel(group.length)}
          {whole > 0 && <span className="num ml-auto">{format.duration(whole)}</span>}
        </div>
        <LaneContext value={longest}>{group.map(draw)}</LaneContext>
      </div>
    </>
  );
}

/** How long the longest of some steps took, and all of them together once they have ended. */
function useTimes(
  run: RunStore,
  ids: readonly number[],
): { readonly longest: number; readonly whole: number } {
  const subscribe = useCallback(
    (changed: () => void) => {
      const leaving = ids.length < 2 ? [] : ids.map((id) => run.step(id).subscribe(changed));
      return () => leaving.forEach((leave) => leave());
    },
    [run, ids],
  );
  const look = useCallback(() => {
    if (ids.length < 2) return '0,0';
    const steps = ids.flatMap((id) => run.step(id).getSnapshot() ?? []);
    const began = Math.min(...steps.map(({ openedAt }) => openedAt ?? Infinity));
    const ended = Math.max(...steps.map(({ closedAt }) => closedAt ?? Infinity));
    const longest = Math.max(...steps.map(({ milliseconds = 0 }) => milliseconds));
    return `${longest},${Number.isFinite(ended) ? ended - began : 0}`;
  }, [run, ids]);
  const [longest = 0, whole = 0] = useSyncExternalStore(subscribe, look).split(',').map(Number);
  return { longest, whole };
}

/** Says that another process went on here, before the step that is the first after it. */
function TakeoverLine({
  run,
  before,
}: {
  readonly run: RunStore;
  readonly before: number | undefined;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const told = useSyncExternalStore(run.subscribe, () =>
    takeoversOf(run)
      .filter((one) => one.before === before)
      .map(({ after, kept, again }) => `${after},${kept},${again}`)
      .join(';'),
  );
  if (told === '') return undefined;
  return told.split(';').map((one, i) => {
    const [after = 0, kept = 0, again = 0] = one.split(',').map(Number);
    return (
      <p className="note" key={i} role="status">
        <Zap className="icon small" aria-hidden />
        {t.run.takenOver(format.duration(after), kept, again)}
      </p>
    );
  });
}
