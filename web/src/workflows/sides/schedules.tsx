import { Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Schedule } from '../../../../src/graph/schedule.ts';
import { useVitrine } from '../../../../src/react/react.ts';
import { addressOf } from '../../routing.tsx';
import { Failed } from '../../shell/states.tsx';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';
import { useAsked } from '../../use-asked.ts';
import type { Desk } from '../desk.ts';
import { fragmentOf, type View } from '../looking.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleLine } from './schedule-line.tsx';
import { scheduled, shownSchedules, type ShownSchedule } from './schedule-list.ts';
import { SidePanel } from './side-panel.tsx';

interface SchedulesProps {
  readonly desk: Desk;
  readonly name: string;
  readonly view: View;
  readonly isReadOnly: boolean;
  /** The newest that is published; 0 where nothing is. */
  readonly version: number;
}

/** When the workflow is started by itself: what is published, and what will be. */
export function Schedules({ desk, name, view, isReadOnly, version }: SchedulesProps): ReactNode {
  const w = useWorkflowTexts();
  const client = useVitrine();
  const { editing, edited } = desk;
  const [changing, setChanging] = useState<number | 'new'>();
  const { value, failure, again } = useAsked(
    async () => (version === 0 ? [] : client.workflows.schedules(name)),
    [client, name, version],
  );
  const shown = shownSchedules(edited.draft, value ?? []);
  const keep = (place?: number) => (schedule: Schedule | undefined) => {
    editing.edit(scheduled(place, schedule));
    setChanging(undefined);
  };
  const changesOf = ({ place }: ShownSchedule) =>
    isReadOnly || place === undefined
      ? {}
      : { change: () => setChanging(place), remove: () => keep(place)(undefined) };
  const leave = (): void => setChanging(undefined);
  const schema = edited.draft.input;
  return (
    <SidePanel
      is="schedules"
      title={w.schedule.title}
      hint={shown.length === 0 ? w.schedule.none : w.schedule.hint}
      away={addressOf.workflow(name, fragmentOf({ view }))}
    >
      {failure && <Failed failure={failure} retry={again} />}
      <ul>
        {shown.map((one, i) => (
          <li key={i} className="version" data-schedule={one.told?.schedule ?? ''}>
            {changing !== undefined && changing === one.place ? (
              <ScheduleForm schedule={one.schedule} schema={schema} keep={keep(one.place)} leave={leave} />
            ) : (
              <ScheduleLine {...{ one, name, again }} {...changesOf(one)} />
            )}
          </li>
        ))}
      </ul>
      {changing === 'new' && <ScheduleForm schema={schema} keep={keep()} leave={leave} />}
      {!isReadOnly && changing === undefined && <AddButton add={() => setChanging('new')} />}
    </SidePanel>
  );
}

function AddButton({ add }: { readonly add: () => void }): ReactNode {
  const w = useWorkflowTexts();
  return (
    <button type="button" className="button small node-link" onClick={add} data-add-schedule>
      <Plus className="icon small" aria-hidden />
      {w.schedule.add}
    </button>
  );
}
