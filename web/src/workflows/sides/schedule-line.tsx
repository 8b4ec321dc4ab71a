import { useState, type ReactNode } from 'react';
import { RunError, type Failure } from '../../../../src/client/client.ts';
import { useVitrine } from '../../../../src/react/react.ts';
import { visible } from '../../../../src/run/visible.ts';
import { formatIn } from '../../format.ts';
import { announce } from '../../shell/announce.tsx';
import { useLanguage } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { useMinute } from '../../ticking.ts';
import { NextTimes } from './next-times.tsx';
import { timesOf, type ShownSchedule } from './schedule-list.ts';

interface ScheduleLineProps {
  readonly one: ShownSchedule;
  readonly name: string;
  /** Absent where nothing may be changed. */
  readonly change?: () => void;
  readonly remove?: () => void;
  readonly again: () => void;
}

/** One schedule: when it comes next, how it stands, and what can be done about it. */
export function ScheduleLine({ one, name, change, remove, again }: ScheduleLineProps): ReactNode {
  const w = useWorkflowTexts();
  const now = useMinute();
  const { schedule, place, told } = one;
  const { cron, timezone, input, missed = 'last', overlap = 'start' } = schedule;
  const times = told?.paused ? [] : (told?.next ?? timesOf(schedule, now));
  return (
    <div className="version-more">
      <div className="change-head">
        <b className="mono">{visible(cron)}</b>
        <span className="quiet cut">{visible(timezone)}</span>
        <span className="grow" />
        {!told && <span className="workflow-tag of-draft">{w.schedule.drafted}</span>}
        {place === undefined && <span className="workflow-tag of-draft">{w.schedule.leaving}</span>}
      </div>
      <NextTimes times={times} timezone={timezone} />
      <p className="hint">
        {w.schedule.missedNow[missed]} {w.schedule.overlapNow[overlap]}
      </p>
      {input !== undefined && <pre className="node-output">{visible(JSON.stringify(input, null, 2))}</pre>}
      {told && <Standing told={told} />}
      <div className="version-acts">
        {told && <Steer name={name} told={told} again={again} />}
        {change && (
          <button type="button" className="button small" onClick={change} data-change-schedule>
            {w.schedule.change}
          </button>
        )}
        {remove && (
          <button type="button" className="button ghost small" onClick={remove} data-remove-schedule>
            {w.edit.remove}
          </button>
        )}
      </div>
    </div>
  );
}

type Told = NonNullable<ShownSchedule['told']>;

/** What it did last, and what it did not. */
function Standing({ told: { paused, last, skipped = [] } }: { readonly told: Told }): ReactNode {
  const w = useWorkflowTexts();
  const format = formatIn(useLanguage());
  const left = skipped.at(-1);
  return (
    <>
      {paused && (
        <p className="state-word paused" role="status" data-paused>
          {w.schedule.paused(visible(paused.by), format.dateTime(paused.at))}
        </p>
      )}
      {last && <p className="hint">{w.schedule.last(format.dateTime(last.due))}</p>}
      {left && <p className="hint">{w.schedule.skipped(format.dateTime(left.due), visible(left.why))}</p>}
    </>
  );
}

function Steer({
  name,
  told,
  again,
}: Pick<ScheduleLineProps, 'name' | 'again'> & { readonly told: Told }): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const [failure, setFailure] = useState<Failure>();
  const steer = async (): Promise<void> => {
    const { workflows } = client;
    try {
      if (told.paused) await workflows.resumeSchedule(name, told.schedule);
      else await workflows.pauseSchedule(name, told.schedule);
      setFailure(undefined);
      announce(told.paused ? w.schedule.resumed : w.schedule.nowPaused);
      again();
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setFailure(thrown.failure);
    }
  };
  return (
    <>
      <button type="button" className="button small" onClick={() => void steer()} data-steer-schedule>
        {told.paused ? w.schedule.resume : w.schedule.pause}
      </button>
      {failure && (
        <p className="problem" role="alert">
          {visible(failure.message)}
        </p>
      )}
    </>
  );
}
