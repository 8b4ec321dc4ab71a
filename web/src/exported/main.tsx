import '../style/app.css';
import './exported.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode, useMemo, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { VitrineProvider } from '../../../src/react/react.ts';
import { useHere } from '../routing.tsx';
import { haveNoServer } from '../server.ts';
import { Announcements } from '../shell/announce.tsx';
import { followTheme } from '../shell/theme.ts';
import { RecordedContext, type Recorded } from '../trace/recorded.ts';
import { Trace } from '../trace/trace.tsx';
import { exportedClient, readExported, type Exported } from './exported.ts';
import { placeInPage, placeOfHash } from './place.ts';

function ExportedRun({ exported }: { readonly exported: Exported }): ReactNode {
  const { step, at } = placeOfHash(new URL(useHere()).hash);
  const client = useMemo(() => exportedClient(exported), [exported]);
  const recorded: Recorded = useMemo(
    () => ({ exportedAt: exported.at, damaged: exported.damaged, addressAt: placeInPage }),
    [exported],
  );
  return (
    <CSPProvider disableStyleElements>
      <VitrineProvider client={client}>
        <RecordedContext value={recorded}>
          <div className="app exported">
            <Trace run={exported.run} step={step} at={at} />
            <Announcements />
          </div>
        </RecordedContext>
      </VitrineProvider>
    </CSPProvider>
  );
}

haveNoServer();
followTheme();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the run.');
createRoot(root).render(
  <StrictMode>
    <ExportedRun exported={readExported(document)} />
  </StrictMode>,
);
