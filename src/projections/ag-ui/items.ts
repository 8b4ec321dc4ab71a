import type { EventOf } from '../../run/events.ts';
import { stepName } from '../nested.ts';
import type { AgUiScene, AgUiStep } from './scene.ts';

/** What hangs on a step. What clients may draw is an activity; of the rest they are told under its name. */
export function attached({ frames }: AgUiScene, { item }: EventOf<'item.attached'>, step: AgUiStep): void {
  const { own, id } = step;
  frames.push({
    type: 'CUSTOM',
    name: item.kind,
    value: { ...item, step: stepName(id) },
    subagentRunId: own.agent,
  });
}
