import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { Schedule, scheduleProblems } from '../../../../src/graph/schedule.ts';
import type { Json } from '../../../../src/run/values.ts';
import { visible } from '../../../../src/run/visible.ts';
import { DraftForm } from '../../approvals/draft-form.tsx';
import { useDraft } from '../../approvals/draft.ts';
import { problemWords } from '../../texts/problem-words.ts';
import { useLanguage } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { useMinute } from '../../ticking.ts';
import { NextTimes } from './next-times.tsx';
import { inputSchema } from '../runs/run-dialog.tsx';
import { timesOf } from './schedule-list.ts';

interface ScheduleFormProps {
  readonly schedule?: Schedule;
  /** What the workflow takes. */
  readonly schema: Json | undefined;
  readonly keep: (schedule: Schedule) => void;
  readonly leave: () => void;
}

/** When, where, and with what; it says at once when that would be. */
export function ScheduleForm({ schedule: before, schema, keep, leave }: ScheduleFormProps): ReactNode {
  const w = useWorkflowTexts();
  const language = useLanguage();
  const now = useMinute();
  const [timing, setTiming] = useState<Schedule>(before ?? usual);
  const input = useDraft({ schema: inputSchema(schema) }, { arguments: before?.input ?? {} });
  const schedule = { ...timing, input: isEmpty(input.value) ? undefined : input.value };
  const [wrong] = scheduleProblems([schedule]);
  const problem = wrong && problemWords(wrong, language);
  const choose = (part: Partial<Schedule>): void => setTiming((was) => ({ ...was, ...part }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    keep(schedule);
  };
  return (
    <form className="version-more schedule-form" onSubmit={submit} data-schedule-form>
      <WhenAndWhere timing={timing} choose={choose} />
      {problem ? (
        <p className="problem" role="status" data-schedule-problem>
          {visible(`${problem.problem} ${problem.fix}`)}
        </p>
      ) : (
        <NextTimes times={timesOf(schedule, now)} timezone={timing.timezone} />
      )}
      <Otherwise timing={timing} choose={choose} />
      <fieldset>
        <legend className="lb">{w.run.input}</legend>
        <DraftForm draft={input} isAnswer />
      </fieldset>
      <div className="version-acts">
        <button
          type="submit"
          className="button small primary"
          disabled={problem !== undefined || input.isWrong}
          data-keep-schedule
        >
          {before ? w.schedule.keep : w.schedule.add}
        </button>
        <button type="button" className="button ghost small" onClick={leave}>
          {w.run.cancel}
        </button>
      </div>
    </form>
  );
}

interface TimingProps {
  readonly timing: Schedule;
  readonly choose: (part: Partial<Schedule>) => void;
}

function WhenAndWhere({ timing, choose }: TimingProps): ReactNode {
  const w = useWorkflowTexts();
  const id = useId();
  return (
    <>
      <div>
        <label htmlFor={`${id}-cron`}>{w.schedule.cron}</label>
        <input
          id={`${id}-cron`}
          className="field mono"
          value={timing.cron}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => choose({ cron: target.value })}
          data-cron
        />
        <p className="hint" id={`${id}-hint`}>
          {w.schedule.cronHint}
        </p>
      </div>
      <div>
        <label htmlFor={`${id}-zone`}>{w.schedule.timezone}</label>
        <input
          id={`${id}-zone`}
          className="field"
          list={`${id}-zones`}
          value={timing.timezone}
          onChange={({ target }) => choose({ timezone: target.value })}
          data-timezone
        />
        <datalist id={`${id}-zones`}>
          {zones.map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </datalist>
      </div>
    </>
  );
}

/** What happens with times that nobody saw, and with those that come while it runs. */
function Otherwise({ timing, choose }: TimingProps): ReactNode {
  const w = useWorkflowTexts();
  return (
    <>
      <Choice
        label={w.schedule.missed}
        words={w.schedule.missedNow}
        of={missedChoices}
        chosen={timing.missed ?? 'last'}
        choose={(missed) => choose({ missed })}
      />
      <Choice
        label={w.schedule.overlap}
        words={w.schedule.overlapNow}
        of={overlapChoices}
        chosen={timing.overlap ?? 'start'}
        choose={(overlap) => choose({ overlap })}
      />
    </>
  );
}

/** Weekdays at eight, where one is. */
const usual: Schedule = {
  cron: '0 8 * * 1-5',
  timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
};
const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const missedChoices = Schedule.shape.missed.unwrap().options;
const overlapChoices = Schedule.shape.overlap.unwrap().options;

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function Choice<T extends string>({
  label,
  of,
  words,
  chosen,
  choose,
}: {
  readonly label: string;
  readonly of: readonly T[];
  readonly words: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly choose: (value: T) => void;
}): ReactNode {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="field"
        value={chosen}
        onChange={({ target }) => {
          const value = of.find((one) => one === target.value);
          if (value !== undefined) choose(value);
        }}
      >
        {of.map((one) => (
          <option key={one} value={one}>
            {words[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
