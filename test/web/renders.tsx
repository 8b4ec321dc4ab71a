// A run drawn by the app's own components, fed by a test: which steps are drawn when something happens.
import { createRoot } from 'react-dom/client';
import { vitrineClient } from '../../src/client/client.ts';
import { StepTree, VitrineProvider } from '../../src/react/react.ts';
import { Folding, RunViewContext } from '../../web/src/steps/run-view.tsx';
import { StepCard } from '../../web/src/steps/step-card.tsx';
import { StepList } from '../../web/src/steps/step-list.tsx';
import { run } from './fed-run.ts';

const view = {
  run,
  conversation: 'c',
  folding: new Folding(),
  verbosity: 'steps' as const,
  goTo: () => {},
};
const place = document.createElement('div');
document.body.append(place);
createRoot(place).render(
  <VitrineProvider client={vitrineClient({ url: location.origin })}>
    <RunViewContext value={view}>
      <StepTree run={run} step={StepCard} list={StepList} />
    </RunViewContext>
  </VitrineProvider>,
);
