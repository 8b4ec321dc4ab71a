import { CSPProvider } from '@base-ui/react/csp-provider';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { useSource, VitrineProvider } from '../../src/react/react.ts';
import { Chat } from './chat/chat.tsx';
import { usePlace, type Place } from './routing.tsx';
import { client, isLocked } from './server.ts';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { Boundary } from './shell/boundary.tsx';
import { Broken } from './shell/broken.tsx';
import { Bones, Nowhere } from './shell/states.tsx';
import { useLanguage } from './texts/texts.ts';

const Approvals = lazy(() => import('./approvals/inbox.tsx').then(({ Inbox }) => ({ default: Inbox })));
const Runs = lazy(() => import('./runs/runs.tsx').then((made) => ({ default: made.Runs })));
const Run = lazy(() => import('./runs/run.tsx').then((made) => ({ default: made.Run })));
const RunCanvas = lazy(() =>
  import('./workflows/runs/run-canvas.tsx').then((made) => ({ default: made.RunCanvas })),
);
const Workflows = lazy(() =>
  import('./workflows/workflows.tsx').then((made) => ({ default: made.Workflows })),
);
const Workflow = lazy(() => import('./workflows/workflow.tsx').then((made) => ({ default: made.Workflow })));
const Apps = lazy(() => import('./apps/apps.tsx').then((made) => ({ default: made.Apps })));
const AppEditor = lazy(() => import('./apps/app.tsx').then((made) => ({ default: made.AppEditor })));
const Api = lazy(() => import('./api/api.tsx').then((made) => ({ default: made.Api })));
const Home = lazy(() => import('./home/home.tsx').then((made) => ({ default: made.Home })));

export function App(): ReactNode {
  const language = useLanguage();
  const mustSignIn = useSource(isLocked);
  const place = usePlace();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  if (mustSignIn) return <SignIn />;
  return (
    <CSPProvider disableStyleElements>
      <VitrineProvider client={client}>
        <Shell place={place}>
          <Boundary key={place.screen} shown={(thrown) => <Broken thrown={thrown} />}>
            <Suspense fallback={<Bones />}>
              <Screen place={place} />
            </Suspense>
          </Boundary>
        </Shell>
      </VitrineProvider>
    </CSPProvider>
  );
}

function Screen({ place }: { readonly place: Place }): ReactNode {
  switch (place.screen) {
    case 'chat':
      return (
        <Chat
          key={place.conversation ?? `with ${place.app ?? ''}`}
          conversation={place.conversation}
          sought={place.step}
          withApp={place.app}
        />
      );
    case 'approvals':
      return <Approvals chosen={place.approval} />;
    case 'runs':
      return <Runs filter={place.filter} />;
    case 'run':
      return <Run key={place.run} run={place.run} step={place.step} at={place.at} />;
    case 'run-canvas':
      return <RunCanvas key={place.run} run={place.run} at={place.at} />;
    case 'workflows':
      return <Workflows />;
    case 'workflow':
      return <Workflow key={place.name} name={place.name} view={place.view} />;
    case 'apps':
      return <Apps />;
    case 'app':
      return <AppEditor key={place.name} name={place.name} section={place.section} />;
    case 'home':
      return <Home />;
    case 'api':
      return <Api />;
    case 'nowhere':
      return <Nowhere />;
  }
}
